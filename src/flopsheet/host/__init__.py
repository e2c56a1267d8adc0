"""The pluggy host: hook specifications, and how plugins are found, loaded and asked."""
