"""The blocks under their public name: `import flopsheet.blocks` gives what `from flopsheet import blocks` does."""

import sys
from typing import TYPE_CHECKING

from flopsheet.accounting import blocks

if TYPE_CHECKING:
    from flopsheet.accounting.blocks import *  # noqa: F403 - a type checker sees what the module in its place has

sys.modules[__name__] = blocks
