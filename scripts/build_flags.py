"""Builds `rooms/questions/data/` and the contact sheets in `docs/` from packages and `flags_tables.py`.

Development only: `python scripts/build_flags.py`, about ten minutes (needs npm, Playwright and a Chromium).
The results are committed, so nobody else runs it; after a run, look at `docs/flags-contact-sheet*.png` before
committing. Where the packages come from is in `flags_sources.py`.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts import flags_sheet, flags_tables
from scripts.flags_browser import call, flags_page
from scripts.flags_sources import CLDR_CORE, CLDR_NAMES, FLAG_ICONS, SVGO, fetch, texts
from scripts.messages import LANGUAGES

ROOT = Path(__file__).parents[1]
DATA = ROOT / "rooms" / "questions" / "data"
SHEET = ROOT / "docs" / "flags-contact-sheet.png"
REDRAWN_SHEET = ROOT / "docs" / "flags-contact-sheet-redrawn.png"

SHOWN = 0.13  # share up to which the sheet shows the pairs that are held to be different
MAX_CHANGE = 25  # of 255, root mean square; a drawing farther from its source lost something that can be seen

Row = dict[str, str]
Pair = tuple[str, str, float | None]
Names = dict[str, str]
"""Territory code to name."""


def main() -> None:
    """Fetch, draw, compare, write, photograph."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chromium", default=shutil.which("chromium"), help="the browser's path")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "halyard-flags")
    options = parser.parse_args()
    countries = read_countries(options.cache)
    sources = read_drawings(options.cache, [row["code"] for row in countries])
    svgo = texts(fetch(SVGO, options.cache), "dist/svgo.browser.js")["dist/svgo.browser.js"]
    with flags_page(options.chromium, {"svgo.browser.js": svgo}) as page:
        fits = {
            code: call(page, "flags_fit.js", "fit", source, flags_tables.LETTERING.get(code))
            for code, source in sources.items()
        }
        refuse_changed(fits)
        svgs = {code: fit["svg"] for code, fit in fits.items()}
        near = [tuple(pair) for pair in call(page, "flags_compare.js", "compare", svgs, SHOWN)]
        alike = look_alikes(near)
        write(countries, svgs, alike)
        write_names(countries, options.cache)
        flags_sheet.photograph(page, sections(countries, svgs, alike, near), SHEET)
        beside = {"Source beside what was redrawn (tolerance, change)": flags_sheet.redrawn(sources, fits)}
        flags_sheet.photograph(page, beside, REDRAWN_SHEET)
    report(fits, alike)


def read_countries(cache: Path) -> list[Row]:
    """Code, English name, region and level of everything that can be asked, by code."""
    listed = json.loads(texts(fetch(FLAG_ICONS, cache), "country.json")["country.json"])
    out = {*flags_tables.PARENT_FLAG, *flags_tables.UNINHABITED, *flags_tables.NAMED_ON_FLAG}
    codes = sorted({row["code"].upper() for row in listed if row["iso"]} - out)
    english = read_names("en", cache)
    regions = read_regions(cache)
    return [
        {"code": code, "name": english[code], "region": regions[code], "level": level(code)} for code in codes
    ]


def read_names(language: str, cache: Path) -> Names:
    """What the territories are called in this language."""
    path = f"main/{language}/territories.json"
    told = json.loads(texts(fetch(CLDR_NAMES, cache), path)[path])["main"][language]
    names: Names = told["localeDisplayNames"]["territories"]
    return names


def called(names: Names, code: str) -> str:
    """The country's name in a language that is not English, whose names are the stored ones."""
    return names[f"{code}-alt-short" if code in flags_tables.SHORT_NAMED else code]


def read_regions(cache: Path) -> dict[str, str]:
    """Territory code to our name of its UN M49 region."""
    path = "supplemental/territoryContainment.json"
    contains = json.loads(texts(fetch(CLDR_CORE, cache), path)[path])["supplemental"]["territoryContainment"]

    def inside(area: str) -> Iterable[str]:
        for part in contains.get(area, {"_contains": []})["_contains"]:
            yield part
            yield from inside(part)

    return {code: name for area, name in flags_tables.REGIONS.items() for code in inside(area)}


def level(code: str) -> str:
    """The easiest difficulty at which a country is asked."""
    if code in flags_tables.WELL_KNOWN:
        return "easy"
    return "hard" if code in flags_tables.TERRITORIES else "medium"


def read_drawings(cache: Path, codes: Iterable[str]) -> dict[str, str]:
    """The icon set's own SVG of each code."""
    files = texts(fetch(FLAG_ICONS, cache), "flags/4x3/")
    return {code: files[f"flags/4x3/{code.lower()}.svg"] for code in codes}


def refuse_changed(fits: dict[str, dict[str, Any]]) -> None:
    """Stop if a drawing no longer looks like its source."""
    changed = {code: round(fit["change"], 2) for code, fit in fits.items() if fit["change"] > MAX_CHANGE}
    if changed:
        raise SystemExit(f"not like their source any more (change above {MAX_CHANGE}): {changed}")


def look_alikes(near: Iterable[tuple[str, str, float]]) -> list[Pair]:
    """The pairs never offered together: computed ones with their share, people's additions with None."""
    pairs: dict[tuple[str, str], float | None] = {
        (a, b): None for group in flags_tables.ALSO_ALIKE.values() for a, b in combinations(sorted(group), 2)
    }
    pairs |= {(a, b): share for a, b, share in near if share <= flags_tables.ALIKE_SHARE}
    return [(a, b, share) for (a, b), share in sorted(pairs.items())]


def write(countries: list[Row], svgs: dict[str, str], alike: list[Pair]) -> None:
    """Replace the committed data; one row a line, so that a change reads well."""
    shutil.rmtree(DATA / "flags", ignore_errors=True)
    (DATA / "flags").mkdir(parents=True)
    for code, svg in svgs.items():
        (DATA / "flags" / f"{code}.svg").write_text(svg)
    for name, rows in (("countries.json", countries), ("look_alikes.json", alike)):
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        (DATA / name).write_text(f"[\n{lines}\n]\n")


def write_names(countries: list[Row], cache: Path) -> None:
    """Replace the countries' names in the pages' other languages."""
    told = {language: read_names(language, cache) for language in LANGUAGES}
    codes = [row["code"] for row in countries]
    names = {language: {code: called(told[language], code) for code in codes} for language in told}
    (DATA / "names.json").write_text(json.dumps(names, ensure_ascii=False, indent=1) + "\n")


def sections(
    countries: list[Row], svgs: dict[str, str], alike: list[Pair], near: list[tuple[str, str, float]]
) -> dict[str, str]:
    """The contact sheet's parts by title."""
    known = {(a, b) for a, b, _ in alike}
    apart = [pair for pair in near if pair[:2] not in known]
    parts = {}
    for region in flags_tables.REGIONS.values():
        for tier in ("easy", "medium", "hard"):
            codes = [row["code"] for row in countries if (row["region"], row["level"]) == (region, tier)]
            parts[f"{region}, asked from {tier} on: {len(codes)}"] = flags_sheet.flags(svgs, codes)
    title = f"Never offered together (share of the area; + decided by people): {len(alike)}"
    parts[title] = flags_sheet.pairs(svgs, alike)
    parts[f"Nearest pairs held to be different, up to {SHOWN}: {len(apart)}"] = flags_sheet.pairs(svgs, apart)
    return parts


def report(fits: dict[str, dict[str, Any]], alike: list[Pair]) -> None:
    """What a reviewer wants to know at a glance."""
    sizes = sorted(len(fit["svg"].encode()) for fit in fits.values())
    drawn = sum(fit["tolerance"] is not None for fit in fits.values())
    print(f"{len(fits)} flags, {sum(sizes)} bytes, largest {sizes[-1]}, median {sizes[len(sizes) // 2]}")
    print(f"{drawn} redrawn, {len(alike)} look-alike pairs")
    for sheet in (SHEET, REDRAWN_SHEET):
        print(f"look at {sheet.relative_to(ROOT)} ({sheet.stat().st_size} bytes)")


if __name__ == "__main__":
    main()
