"""The committed flags: small, harmless, silent about whose they are, and as the tables say.

The data under `rooms/questions/data/` is made by `scripts/build_flags.py`; these tests hold what a rebuild
must keep. The pictures themselves are looked over on `docs/flags-contact-sheet.png`.
"""

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from rooms.core.questions import FlagSource
from rooms.questions.flags import DATA, Country, asked, atlas
from scripts import flags_tables
from scripts.flags_browser import call, flags_page

MAX_BYTES = 8 * 1024  # spec 2.5
ISO_3166_COUNT = 249
SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = "svg g path circle ellipse rect use defs clipPath linearGradient radialGradient stop marker"
ATTRIBUTES = """
    id href transform viewBox d x y x1 y1 x2 y2 cx cy r rx ry fx fy width height clip-path clip-rule overflow
    fill fill-opacity fill-rule opacity color offset stop-color stop-opacity gradientUnits gradientTransform
    stroke stroke-width stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset
    stroke-opacity marker-mid markerWidth markerHeight refX refY
"""
NUMBERS_ONLY = {"d", "transform", "viewBox"}

CODES = [country.code for country in atlas().countries]
Pair = tuple[str, str, float | None]


def drawn(code: str) -> list[ElementTree.Element]:
    """Every element of a flag, the root first."""
    return list(ElementTree.fromstring(atlas().flags[code]).iter())


def attributes(code: str) -> Iterator[tuple[str, str]]:
    return ((name, value) for element in drawn(code) for name, value in element.attrib.items())


def pairs() -> list[Pair]:
    """The committed look-alikes: two codes and the share that differs, None where people decided."""
    return msgspec.json.decode((DATA / "look_alikes.json").read_bytes(), type=list[Pair])


def test_a_flag_fits_into_its_question() -> None:
    """At most 8 KiB, so that no phone waits longer for one flag than for another."""
    sizes = {code: len(svg.encode()) for code, svg in atlas().flags.items()}
    assert {code: size for code, size in sizes.items() if not 0 < size <= MAX_BYTES} == {}


def test_a_flag_is_a_drawing_and_nothing_else() -> None:
    """Shapes and paints only: no script, style, text, title, foreign content or event handler (spec 2.5)."""
    elements, names = {SVG + name for name in ELEMENTS.split()}, set(ATTRIBUTES.split())
    for code in CODES:
        assert {element.tag for element in drawn(code)} <= elements, code
        assert {name for name, _ in attributes(code)} <= names, code
        assert not any((element.text or element.tail or "").strip() for element in drawn(code)), code
        assert not re.search("<!|<[?]", atlas().flags[code]), code


def test_a_flag_fetches_nothing() -> None:
    """Links and paints point into the same drawing; a page with a strict CSP shows it whole."""
    for code in CODES:
        links = [value for name, value in attributes(code) if name == "href"]
        links += [link for _, value in attributes(code) for link in re.findall(r"url\((.*?)\)", value)]
        ids = {value for name, value in attributes(code) if name == "id"}
        assert set(links) <= {f"#{one}" for one in ids}, code
        assert "//" not in atlas().flags[code].replace("http://www.w3.org/2000/svg", ""), code


def test_a_flag_does_not_name_its_country() -> None:
    """Ids are single letters, and neither the code nor a word of the name stands anywhere (spec 2.5)."""
    for country in atlas().countries:
        ids = [value for name, value in attributes(country.code) if name == "id"]
        assert all(re.fullmatch("[A-Za-z]", one) for one in ids), country
        words = {word.lower() for word in re.findall(r"\w{4,}", country.name)} | {country.code.lower()}
        said = [value.lower() for name, value in attributes(country.code) if name not in NUMBERS_ONLY]
        assert words.isdisjoint(word for value in said for word in re.findall(r"\w+", value)), country


def test_a_flag_has_the_proportions_of_all_others() -> None:
    """All are 4:3 without a size of their own: the page lays them out alike, and the shape is no hint."""
    for code in CODES:
        root = drawn(code)[0]
        left, top, width, height = map(float, root.attrib["viewBox"].split())
        assert (left, top, width / height) == (0, 0, 4 / 3), code
        assert not {"width", "height"} & set(root.attrib), code


def test_every_iso_3166_code_is_in_or_left_out_for_a_stated_reason() -> None:
    """The data and the tables together are the whole list, each code in one place."""
    out = [*flags_tables.PARENT_FLAG, *flags_tables.UNINHABITED, *flags_tables.NAMED_ON_FLAG]
    assert len(set(CODES) | set(out)) == len(CODES) + len(out) == ISO_3166_COUNT


def test_who_flies_a_parents_flag_is_never_asked_or_offered() -> None:
    """Their picture is another country's flag, so no answer to it would be fair (spec 2.5)."""
    hardest = {country.code for country in asked(FlagSource("world", "hard"))}
    assert hardest.isdisjoint(flags_tables.PARENT_FLAG)
    assert {"RE", "SJ", "BV", "HM", "UM"} <= set(flags_tables.PARENT_FLAG)
    assert hardest.issuperset(flags_tables.PARENT_FLAG.values())


def test_the_levels_are_those_of_the_tables() -> None:
    """Well-known countries are easy, territories hard, all others medium: nobody edited the data by hand."""

    def level(code: str) -> str:
        if code in flags_tables.WELL_KNOWN:
            return "easy"
        return "hard" if code in flags_tables.TERRITORIES else "medium"

    assert {country.code: country.level for country in atlas().countries} == {c: level(c) for c in CODES}
    assert set(CODES) >= flags_tables.WELL_KNOWN | flags_tables.TERRITORIES
    assert flags_tables.WELL_KNOWN.isdisjoint(flags_tables.TERRITORIES)


@pytest.mark.parametrize(
    ("code", "region"),
    [
        *(("EG", "africa"), ("GL", "americas"), ("FK", "americas"), ("CY", "asia"), ("TR", "asia")),
        *(("KZ", "asia"), ("TW", "asia"), ("RU", "europe"), ("CX", "oceania"), ("TL", "asia")),
    ],
)
def test_regions_are_those_of_the_united_nations(code: str, region: str) -> None:
    """Where a country lies is not for us to decide: UN M49, through CLDR."""
    (country,) = [country for country in atlas().countries if country.code == code]
    assert country.region == region


def test_the_committed_files_are_what_the_countries_need() -> None:
    """One drawing a country and none besides, rows by code, one a line: a review sees what changed."""
    assert sorted(path.stem for path in (DATA / "flags").iterdir()) == CODES == sorted(set(CODES))
    rows = msgspec.json.decode((DATA / "countries.json").read_bytes(), type=list[Country])
    assert len((DATA / "countries.json").read_text(encoding="utf-8").splitlines()) == len(rows) + 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("TD", "RO"), ("ID", "MC"), ("LU", "NL"), ("AU", "NZ"), ("SI", "RU"), ("SI", "SK"), ("NI", "SV")),
        *(("CO", "EC"), ("CO", "VE"), ("BH", "QA"), ("AD", "MD"), ("EG", "YE"), ("JO", "PS"), ("KY", "VG")),
    ],
)
def test_notorious_twins_are_in_the_table(one: str, other: str) -> None:
    """The pairs everybody knows, computed or decided, in both directions."""
    assert other in atlas().look_alikes[one]
    assert one in atlas().look_alikes[other]


@pytest.mark.parametrize(
    ("one", "other"), [("CI", "IE"), ("ID", "PL"), ("GN", "ML"), ("IS", "NO"), ("CU", "PR")]
)
def test_mirrored_and_recoloured_flags_can_be_told_apart(one: str, other: str) -> None:
    """No page flips a flag, so the hoist is always left: who knows the order of the colours is right."""
    assert other not in atlas().look_alikes[one]


def test_the_look_alikes_are_the_computed_ones_and_those_people_added() -> None:
    """Each pair once, in order, with its share or as a decision of `flags_tables.ALSO_ALIKE`."""
    table = pairs()
    decided = {pair for group in flags_tables.ALSO_ALIKE.values() for pair in combinations(sorted(group), 2)}
    assert table == sorted(table)
    assert all(one < other for one, other, _ in table)
    assert {(one, other) for one, other, share in table if share is None} <= decided
    assert decided <= {(one, other) for one, other, _ in table}
    assert all(share is None or share <= flags_tables.ALIKE_SHARE for *_, share in table)


@pytest.mark.browser
def test_every_flag_shows_as_an_image_and_looks_like_what_the_table_says(chromium: str) -> None:
    """All decode as data URLs in an <img>, and comparing them again finds the committed look-alikes."""
    blur = 0.005  # another Chromium draws soft edges a little differently
    with flags_page(chromium) as page:
        near = call(page, "flags_compare.js", "compare", dict(atlas().flags), flags_tables.ALIKE_SHARE + blur)
    found = {(one, other): share for one, other, share in near}
    computed = {(one, other): share for one, other, share in pairs() if share is not None}
    assert {pair: found.get(pair) for pair in computed} == pytest.approx(computed, abs=blur)
    surely = {pair for pair, share in found.items() if share < flags_tables.ALIKE_SHARE - blur}
    assert surely <= set(computed)


def test_the_contact_sheets_are_small_enough_to_keep_in_the_repository() -> None:
    """A picture for every rebuild's review, at most 700 kB each."""
    sheets = list((Path(__file__).parents[3] / "docs").glob("flags-contact-sheet*.png"))
    assert len(sheets) == 2
    assert all(sheet.stat().st_size <= 700_000 for sheet in sheets)
