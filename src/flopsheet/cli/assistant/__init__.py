"""What `flopsheet mcp` offers to assistants: tools that read, confined to a folder."""
