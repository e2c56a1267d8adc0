"""Hold a count against the model itself: built by transformers on the meta device, or stored in safetensors files."""
