"""How the configs of towers say what they are made of: `families.toml`, a table a type."""
