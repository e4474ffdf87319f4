"""scripts.environment: the virtual environment is made and filled once, and again when something changed."""

import sys
from pathlib import Path

import pytest

from scripts.environment import Environment, identity
from scripts.missing import Missing

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    environment = Environment(tmp_path_factory.mktemp("checkout") / ".venv")
    environment.make()
    return environment


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """A lock that asks for nothing, so that no package index is needed."""
    file = tmp_path / "requirements.txt"
    file.write_text("# nothing\n")
    return file


def test_an_environment_runs_the_python_that_made_it(made: Environment) -> None:
    """`make` on a folder that is not there gives a working interpreter in it."""
    version, _ = str(identity(made.python)).rsplit(" ", 1)
    assert version.splitlines()[0] in sys.version


def test_an_environment_that_works_is_left_alone(made: Environment) -> None:
    """Making it again is a look and nothing more: what others installed stays."""
    mark = made.folder / "mark"
    mark.touch()
    made.make()
    assert mark.exists()


def test_an_environment_whose_python_is_gone_is_made_anew(tmp_path: Path) -> None:
    """An upgrade of the system's Python leaves a link to nowhere."""
    environment = Environment(tmp_path / ".venv")
    environment.programs.mkdir(parents=True)
    (environment.folder / "pyvenv.cfg").touch()
    environment.python.symlink_to("/gone/python3.11")
    environment.make()
    assert identity(environment.python)


def test_a_folder_that_is_no_environment_is_never_emptied(tmp_path: Path) -> None:
    """It may be somebody's work."""
    (tmp_path / "work.txt").touch()
    with pytest.raises(Missing, match=f"is no virtual environment; remove it with: rm -r {tmp_path}"):
        Environment(tmp_path).make()
    assert (tmp_path / "work.txt").exists()


def test_without_ensurepip_debians_package_is_named(tmp_path: Path) -> None:
    """Debian keeps it in a package of its own, for each Python another; no half-made folder is left."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    environment = Environment(tmp_path / ".venv")
    with pytest.raises(Missing, match=f"sudo apt-get install python{version}-venv$"):
        environment.make(has_module=lambda name: None if name == "ensurepip" else name)
    assert not environment.folder.exists()


def test_the_same_lock_is_installed_once(made: Environment, lock: Path, capsys: Capture) -> None:
    """The second run is fast: it asks neither pip nor the network."""
    made.install(lock)
    assert "Installing requirements.txt" in capsys.readouterr().out
    made.install(lock)
    assert capsys.readouterr().out == ""


def test_a_changed_lock_is_installed_again(made: Environment, lock: Path, capsys: Capture) -> None:
    """The content counts, not the date: a checkout of another branch changes both."""
    made.install(lock)
    lock.write_text("# nothing, differently\n")
    capsys.readouterr()
    made.install(lock)
    assert "Installing requirements.txt" in capsys.readouterr().out


def test_what_a_larger_lock_brought_is_not_installed_again(
    made: Environment, lock: Path, tmp_path: Path, capsys: Capture
) -> None:
    """`make run` after `make test` starts at once: the tests' lock has all that the site needs."""
    part = tmp_path / "part.txt"
    part.write_text("# less than nothing\n")
    lock.write_text("# nothing, once more\n")
    made.install(lock, part)
    capsys.readouterr()
    made.install(part)
    assert capsys.readouterr().out == ""


def test_an_installation_that_fails_is_tried_again_the_next_time(made: Environment, lock: Path) -> None:
    """A lock without hashes is refused by pip, and no stamp says that it was installed."""
    lock.write_text(f"package @ file://{lock.parent}/package.whl\n")
    for _ in range(2):
        with pytest.raises(Missing, match="The packages could not be installed, see above"):
            made.install(lock)


@pytest.mark.parametrize("script", ["exit 1", "echo; exit 127"])
def test_a_python_that_does_not_run_has_no_identity(tmp_path: Path, script: str) -> None:
    """Version managers put names on the PATH behind which no interpreter is."""
    program = tmp_path / "python3.13"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    assert identity(program) is None
    assert identity(tmp_path / "absent") is None
