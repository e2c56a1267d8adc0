"""From files to models: Hugging Face configs, folders of them, TOML portfolios."""
