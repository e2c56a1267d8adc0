"""The shipped Excel templates, made by `templates/build.py`."""
