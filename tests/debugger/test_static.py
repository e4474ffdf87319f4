"""The page's scripts and styles: they survive hashing, fit in a reader's head, and build no markup."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage

STATIC = Path(__file__).resolve().parents[2] / "debugger" / "static"
FILES = sorted(path for path in STATIC.rglob("*") if path.is_file())
MODULES = [path for path in FILES if path.suffix == ".js"]


class Hashed(ManifestStaticFilesStorage):
    support_js_module_import_aggregation = True


def test_hashing_renames_every_import_and_every_picture(tmp_path: Path) -> None:
    """Django rewrites by pattern: a name that it missed would load an old file from a cache."""
    for path in FILES:
        copy = tmp_path / path.relative_to(STATIC)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    storage = Hashed(location=tmp_path, base_url="/static/")
    names = {str(path.relative_to(STATIC)): path for path in FILES}
    hashed = {old: new for old, new, _ in storage.post_process({name: (storage, name) for name in names})}
    assert set(hashed) == set(names)
    for old, new in hashed.items():
        text = (tmp_path / new).read_text()
        named = re.findall(r'from "\./([^"]+)"|url\("([^"]+)"\)', text)
        folder = Path(old).parent
        assert {str(folder / (script or picture)) for script, picture in named} <= set(hashed.values()), old


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_a_module_fits_in_a_readers_head(module: Path) -> None:
    """The house's rule for Python files holds for these too: a law first, below 300 lines."""
    text = module.read_text()
    assert text.startswith("/**")
    assert len(text.splitlines()) < 300
    assert max(map(len, text.splitlines())) <= 110


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_a_module_writes_no_markup_and_runs_no_text(module: Path) -> None:
    """Names come from people: what is shown is text, never HTML; and the policy has no eval."""
    assert not re.search(
        r"\beval\b|new Function|innerHTML|outerHTML|insertAdjacent|\.style\b", module.read_text()
    )
