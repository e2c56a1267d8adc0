"""Every wrong plugin by what is wrong: the kinds together."""

from faults import FAULTS
from wrong import Wrong
from wrong_catalog import RECORDS
from wrong_code import AT_IMPORT, HOOKS
from wrong_files import TABLES, TEXTS
from wrong_formats import FORMATS
from wrong_models import ARCHITECTURES, FAMILIES, LINES, READ
from wrong_questions import QUESTIONS

FAULTY = {what: Wrong("fault of an architecture", bad) for what, (bad, _) in FAULTS.items()}
MODELS = FAULTY | ARCHITECTURES | LINES | FAMILIES | READ
WRONGS = AT_IMPORT | HOOKS | MODELS | RECORDS | FORMATS | QUESTIONS | TEXTS | TABLES
