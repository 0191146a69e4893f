"""docs/security.md tells what the tests try."""

from tests.attacks import PAGE, written


def test_the_page_has_the_figures_of_the_tests() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page, "python -m tests.attacks"
