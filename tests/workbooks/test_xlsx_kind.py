import pytest
from judges import needs_soffice, needs_validator, recalculate, validate
from rich_template import rich_template
from xlsx_templates import part, patched, template

from livesheets.allow import WORDS
from livesheets.engine import Fill, fill
from livesheets.engine.kind import KINDS, PLAIN, WITH_MACROS
from livesheets.errors import TemplateError

TYPES = "[Content_Types].xml"
FORMS = {
    "xlsx": PLAIN,
    "xltx": "application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml",
    "xltm": "application/vnd.ms-excel.template.macroEnabled.main+xml",
}


@pytest.mark.parametrize("suffix", [".xlsx", ".xlsm", ".XLSM"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_workbook_is_what_its_suffix_says(form, suffix, tmp_path):
    """Excel opens a file only if the declared kind and the suffix agree, whatever the template was."""
    output = tmp_path / f"filled{suffix}"
    fill(patched(template(), TYPES, (PLAIN, form)), Fill(), output)
    assert f'PartName="/xl/workbook.xml" ContentType="{KINDS[suffix.lower()]}"' in part(output, TYPES)


def test_macros_do_not_go_into_an_xlsx(tmp_path):
    """A workbook with code under a suffix that promises none is refused with the suffix to use."""
    with pytest.raises(TemplateError, match=r"macros \(xl/vbaProject\.bin\), which an \.xlsx cannot hold; .*\*\.xlsm"):
        fill(rich_template(), Fill(allow=WORDS), tmp_path / "filled.xlsx")


def test_a_type_that_its_suffix_gives_is_overridden(tmp_path):
    """A writer may declare the workbook through the suffix of its part alone."""
    own = f'<Override PartName="/xl/workbook.xml" ContentType="{PLAIN}"/>'
    data = patched(
        template(),
        TYPES,
        (own, ""),
        ('Extension="xml" ContentType="application/xml"', f'Extension="xml" ContentType="{PLAIN}"'),
    )
    fill(data, Fill(), tmp_path / "filled.xlsm")
    assert f'PartName="/xl/workbook.xml" ContentType="{WITH_MACROS}"' in part(tmp_path / "filled.xlsm", TYPES)


def test_a_wrong_content_type_is_refused(tmp_path):
    """A workbook that is declared as something else is none."""
    with pytest.raises(
        TemplateError, match=r"calls xl/workbook\.xml 'image/png', which is not a workbook; save it again"
    ):
        fill(patched(template(), TYPES, (PLAIN, "image/png")), Fill(), tmp_path / "filled.xlsx")


@needs_validator
def test_a_changed_kind_is_valid(tmp_path):
    """The Open XML SDK opens a workbook whose kind was changed."""
    fill(template(), Fill(), tmp_path / "filled.xlsm")
    assert validate(tmp_path / "filled.xlsm") == []


@needs_soffice
def test_a_changed_kind_opens(tmp_path):
    """LibreOffice opens a workbook whose kind was changed."""
    fill(template(), Fill(), tmp_path / "filled.xlsm")
    assert recalculate(tmp_path / "filled.xlsm", tmp_path / "fresh").exists()
