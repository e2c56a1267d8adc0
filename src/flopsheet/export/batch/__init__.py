"""Reports of large batches: counted part by part, here or elsewhere, and put together in bounded memory."""
