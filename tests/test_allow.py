import pytest

from flopsheet.errors import UsageError
from livesheets.allow import WORDS, read_allowed


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ([], set()),
        (["macros"], {"macros"}),
        (["macros,dde", "ole"], {"macros", "dde", "ole"}),
        ([" Macros , external-links,"], {"macros", "external-links"}),
        ([",".join(WORDS)], set(WORDS)),
    ],
    ids=["none", "one", "lists", "spaces", "all"],
)
def test_lists_of_words_are_read(texts, words):
    """The option may be given once with commas, or often."""
    assert read_allowed(texts) == words


@pytest.mark.parametrize(
    ("text", "hint"),
    [("macro", "did you mean 'macros'"), ("all", "expected one of macros, external-links, connections, ole, dde")],
)
def test_an_unknown_word_is_refused(text, hint):
    """A slip is answered with the nearest word, anything else with all of them."""
    with pytest.raises(UsageError, match=f"--allow does not know '{text}'; {hint}"):
        read_allowed(["ole", text])
