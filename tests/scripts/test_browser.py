"""scripts.browser: an installed Chromium that runs, else one that can be fetched, else a plain sentence."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scripts import browser
from scripts.missing import Missing

Program = Callable[[str, str], Path]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Puts a program of a name, with the lines it runs, into the one folder of the test's PATH."""

    def put(name: str, lines: str) -> Path:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{lines}\n")
        path.chmod(0o755)
        return path

    return put


def test_a_chosen_browser_is_taken_and_no_other_sought(program: Program, tmp_path: Path) -> None:
    """HALYARD_CHROMIUM is the developer's own word."""
    path = str(program("my-browser", "exit 0"))
    assert browser.chromium(tmp_path / "no-python", {browser.VARIABLE: path, "PATH": ""}) == path


def test_a_chosen_browser_that_does_not_run_is_named(tmp_path: Path) -> None:
    """Going on with another one would hide the slip."""
    with pytest.raises(Missing, match="HALYARD_CHROMIUM is '/no/browser', which does not run"):
        browser.chromium(tmp_path, {browser.VARIABLE: "/no/browser"})


def test_an_installed_browser_that_does_not_run_is_passed_over(program: Program, tmp_path: Path) -> None:
    """Ubuntu's `chromium-browser` may be a stub, and a download may lack its libraries."""
    program("chromium", "echo 'error while loading shared libraries' >&2; exit 127")
    works = program("google-chrome", "echo Google Chrome 140")
    assert browser.installed({"PATH": str(tmp_path)}) == str(works)


def test_playwrights_browser_counts_once_it_is_there_and_runs(program: Program) -> None:
    """The path is Playwright's own answer; what it names is tried before it is believed."""
    chrome = program("chrome", "exit 0")
    assert browser.playwrights(program("python", f"echo {chrome}")) == str(chrome)
    program("chrome", "exit 127")
    assert browser.playwrights(program("python", f"echo {chrome}")) is None


def test_a_missing_playwright_browser_is_downloaded(program: Program, tmp_path: Path) -> None:
    """The same Python that names the path is told to install it."""
    chrome = tmp_path / "chrome"
    install = f"printf '#!/bin/sh\\nexit 0\\n' > {chrome}; chmod +x {chrome}"
    python = program("python", f'case "$*" in *install*) {install} ;; *) echo {chrome} ;; esac')
    assert browser.playwrights(python) == str(chrome)


def test_a_download_that_fails_says_why_and_is_no_end(
    program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The next source is tried; the reason stays readable in one line."""
    install = "echo no network >&2; exit 1"
    python = program("python", f'case "$*" in *install*) {install} ;; *) echo {tmp_path}/chrome ;; esac')
    assert browser.playwrights(python) is None
    assert "Playwright's Chromium: not to be had (no network)" in capsys.readouterr().out


def test_without_a_browser_the_tests_that_need_one_are_skipped_with_the_command_that_mends_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """All other tests run."""
    assert browser.none_found({}) is None
    assert "the browser tests are skipped; install one with: " in capsys.readouterr().out


def test_without_a_browser_ci_fails() -> None:
    """A test that CI skipped looks like one that passed."""
    with pytest.raises(Missing, match="CI must not skip"):
        browser.none_found({"CI": "true"})
