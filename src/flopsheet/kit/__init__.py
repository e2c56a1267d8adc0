"""For authors of plugins: check one, show what it may rely on, start a new one."""
