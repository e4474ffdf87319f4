"""`rooms.core.names`: which names pass and unchanged, which don't and why, and which two are one name."""

from unicodedata import is_normalized, normalize

import pytest
import regex
from hypothesis import assume, example, given, reject
from hypothesis import strategies as st

from gateway.contract import ClientError
from rooms.core.confusables import CONFUSABLES
from rooms.core.names import MAX_CHARACTERS, Flaw, clean_name, fold, unique_name

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
KISS = "\U0001f469\U0001f3fd\u200d\u2764\ufe0f\u200d\U0001f48b\u200d\U0001f468\U0001f3fd"
"""The longest emoji there is: ten code points, one character."""
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
WALES = "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"


def refusal(raw: str) -> ClientError:
    with pytest.raises(ClientError) as caught:
        clean_name(raw)
    return caught.value


def reason(raw: str) -> object:
    return refusal(raw).details["reason"]


def length(name: str) -> int:
    return len(regex.findall(r"\X", name))


# ---------- names that pass


REAL = (
    # What programs trip over.
    *(
        "Ana",
        "XAX",
        "O",
        "7",
        "4242",
        "-1",
        "1e3",
        "constructor",
        "__proto__",
        "toString",
        "null",
        "undefined",
    ),
    *(
        "David's",
        "O’Brien",
        "O´Brien",
        'O"K',
        "a\\b",
        "x;--",
        "-Anna-",
        "=1+1",
        "@SUM",
        "<b>",
        "C++",
        "%s{0}",
    ),
    # Latin, Greek, Cyrillic, Armenian, Georgian.
    *(
        "José",
        "Zoë",
        "Søren",
        "Łukasz",
        "Þórður",
        "Çağla",
        "İpek",
        "Işık",
        "Straße",
        "Nguyễn Thị Hằng",
        "Mỹ Lệ",
    ),
    *("Νίκος", "ᾧδε", "Вера", "Юлія", "Аннушка", "Հայկ", "ნინო", "ạ\u0301", "A\u20dd", "¨Ana", "˝"),
    # Right to left, vocalised and with the marks that belong there.
    *("דוד", "מֹשֶׁה", "אִשָּׁה", "צ'רלי", "דוד (ב)\u200f", "\u200fדוד 7\u200e"),
    *("مُحَمَّد", "اللَّٰه", "علی\u200cرضا", "می\u200cخواهم", "ه\u200d", "ليلى\u061c", "ܝܫܘܥ", "ދިވެހި"),
    # India and around: three marks on a letter, joiners as spelling, five letters in one character.
    *("हिन्दी", "क्षितिज", "ज़ुंबा", "र्त्स्न्या", "অনির্বাণ", "র\u200d্যাব", "ਗੁਰਪ੍ਰੀਤ", "தமிழ்", "മലയാളം"),
    *("ශ්\u200dරී", "ನ್\u200cನ", "น้ำฝน", "กิตติศักดิ์", "ที่รัก", "ນ້ຳ", "ໜູ", "སྒྲོལ་མ", "ខ្ញុំ", "ကျော်စွာ"),
    # East Asia, with the variants that family names need; Mongolian.
    *("王小明", "葛\U000e0100城", "辻\ufe00", "さくら", "김민수", "ㅋㅋㅋ", "ᠮᠣᠩᠭᠣᠯ", "ᠠ\u180b"),
    # Emoji of every build.
    *(
        "😀",
        FAMILY,
        KISS,
        ENGLAND,
        SCOTLAND,
        WALES,
        "🇩🇪🇫🇷",
        "Ana 👑",
        "HOST ✔",
        "👩🏽\u200d💻",
        "🏳\ufe0f\u200d🌈",
        "☺",
    ),
    *(
        "❤\ufe0f",
        "❤\ufe0e",
        "1\ufe0f\u20e3",
        "#\ufe0f\u20e3",
        "*\ufe0f\u20e3",
        "‼\ufe0f Ana",
        "‼\ufe0e",
        "™\ufe0f",
    ),
    *("🈁", "🅰\ufe0f", "㊗\ufe0f", "\U0001faff", "¯\\_(ツ)_/¯"),
)


@pytest.mark.parametrize("name", REAL)
def test_a_real_name_passes_unchanged(name: str) -> None:
    """Names of many scripts, what programs trip over, and emoji of every build come out as they went in."""
    assert clean_name(name) == name


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("Jose\u0301", "José"),
        ("Ａｎｎａ", "Anna"),
        ("ﬁona", "fiona"),
        ("Ana²", "Ana2"),
        ("ﾊﾅｺ", "ハナコ"),
        ("Nguye\u0302\u0303n", "Nguyễn"),
        ("  Anna\u00a0\u3000", "Anna"),
        ("Anna\u2003 \u1680Maria", "Anna Maria"),
        ("น้ำ Ａ", "น้ำ A"),
    ],
)
def test_one_name_has_one_form(raw: str, name: str) -> None:
    """NFKC, trimmed, inner spaces single (spec 2.1)."""
    assert clean_name(raw) == name


@pytest.mark.parametrize(
    "character", ["a", "😀", FAMILY, KISS, ENGLAND, "🇩🇪", "e\u0301", "x\u0323\u0301", "王", "न्दी", "각"]
)
def test_a_name_has_24_characters_as_people_count_them(character: str) -> None:
    """24 of anything pass, 25 don't, and the sentence says both numbers."""
    full = normalize("NFKC", character * MAX_CHARACTERS)
    assert clean_name(full) == full
    assert reason(full + character) == "too-long"
    assert refusal(full + character).message == "A name has at most 24 characters, this one has 25."


# ---------- names that don't


HOSTILE: dict[Flaw, tuple[str, ...]] = {
    Flaw.EMPTY: ("", " ", "   ", "\u00a0", "\u3000", "\u2003\u1680 "),
    Flaw.CONTROL: (
        *("An\nna", "An\r\nna", "Anna\x00", "\x1b[31mAnna", "An\tna", "Anna\x85", "\x7fAnna", "Anna\n"),
        *("An\u2028na", "An\u2029na"),
    ),
    Flaw.DIRECTION: (
        *("Anna\u202e", "An\u202dna", "\u2066Anna", "\u2067Anna", "\u2068Anna\u2069", "An\u202bna"),
        *("\u202aAnna\u202c", "Anna\u200e", "Anna\u200f", "Anna\u061c", "\u200f", "42\u200f"),
        *("דוד\u202e", "علی\u2067"),
    ),
    Flaw.INVISIBLE: (
        # Alone, at the end and inside.
        *(
            "\u200b",
            "Anna\u200b",
            "An\u2060na",
            "\ufeffAnna",
            "An\u00adna",
            "a\u034fb",
            "An\u2063na",
            "א\u200b",
        ),
        # Fillers and blanks.
        *(
            "\u3164",
            "Anna\u3164",
            "Anna\u115f",
            "Anna\u1160",
            "Anna\uffa0",
            "\u2800",
            "Anna\u2800",
            "\u17b4ក",
        ),
        *(
            "Anna\ufffc",
            "\U0001d159",
            "\U00016fe4",
            "\U00013441",
            "\U00013442",
            "\U0001d173",
            "\u0600",
            "\u2065",
        ),
        *("Anna\ufff9", "\U000e0001Anna"),
        # Variation selectors with nothing to vary.
        *(
            "\ufe0f",
            "Anna\ufe0f",
            "Anna\ufe0e",
            "1\ufe0f",
            "A\ufe00",
            "❤\ufe00",
            "❤\ufe0f\ufe0f",
            "Anna\u180b",
        ),
        "Anna\U000e0100",
        # Tags outside the three flags.
        *("Anna\U000e0041", "\U0001f3f4\U000e0067\U000e007f", ENGLAND[:-1], ENGLAND + "\U000e007f"),
        *("\U0001f3f4\U000e0075\U000e0073\U000e0063\U000e0061\U000e007f", "😀" + ENGLAND[1:]),
        # Joiners that join nothing.
        *("An\u200cna", "An\u200dna", "Ан\u200dна", "א\u200dב", "\u200dAnna", "\u200cعلی", "علی ۲\u200c"),
        *("😀\u200d", "😀\u200dA", "A\u200d😀", "😀\u200d\u200d😀", "😀\u200c😀", "می\u200c\u200cخواهم"),
    ),
    Flaw.UNKNOWN: (
        *("Anna\uf8ff", "\U000f0000", "Anna\ud800", "\udc00", "\uffff", "\U0001fffe", "\u0378", "\U0003ffff"),
    ),
    Flaw.LOOSE_MARK: (
        "\u0301Anna",
        "Anna \u0301",
        "\u0301",
        "\u093eक",
        "Anna \u0e34",
        "΅",
        "A \u20dd",
        "\u0903",
        "\u200f\u0301א",
    ),
    Flaw.TOO_MANY_MARKS: (
        *("a" + "\u0301" * 60, ("a" + "\u0301\u0302\u0303\u0304" * 3) * 12, "a\u0301\u0302\u0303", "ế\u0323"),
        *(
            "Ann" + "a\u0335\u0301\u0302",
            "☺\u20dd\u20de\u20df",
            "б\u0483\u0484\u0485",
            "각\u0301\u0302\u0303",
        ),
        # Scripts that need no more than two, marks given twice, and more than any script needs.
        *("ก" + "็" * 3, "ก็ิ้", "\U00011c8f" + "\U00011cad" * 3, "ש" + "\u05c1" * 3, "ب" + "\u064b" * 3),
        *("ש\u05c1\u05bc\u05b7\u05b2\u05b1", "क\u093c\u0941\u0902\u0301", "क\u093c\u0941\u200d\u0902\u0301"),
    ),
    Flaw.OVERSIZED: ("क्" * 12 + "क", "ᄀ" * 11, "\u200d".join("😀" * 6), "क" + "ा" * 10),
    Flaw.TOO_LONG: ("x" * 25, "x" * 10_000, "Anna " * 6, "ㅋ" * 25),
}


@pytest.mark.parametrize(("flaw", "raw"), [(flaw, raw) for flaw, names in HOSTILE.items() for raw in names])
def test_a_hostile_name_is_refused_with_its_reason(flaw: Flaw, raw: str) -> None:
    """Each kind of mischief has its own reason, and every refusal is the same error to the protocol."""
    error = refusal(raw)
    assert (error.code, error.status, error.details["reason"]) == ("NAME_INVALID", 400, flaw.value)


@pytest.mark.parametrize(
    ("raw", "found", "message"),
    [
        ("", "", "Please enter a name."),
        ("x" * 30, "30", "A name has at most 24 characters, this one has 30."),
        (
            "a\nb",
            "U+000A",
            "A name is one line of plain text. Please leave out the control character U+000A.",
        ),
        (
            "a\u202eb",
            "U+202E",
            "A name must not change the direction of text. Please leave out the character U+202E.",
        ),
        (
            "a\u200bb",
            "U+200B",
            "There is an invisible character (U+200B) in this name. Please type it anew without.",
        ),
        (
            "\U000f0000",
            "U+F0000",
            "Other devices cannot show one of these characters (U+F0000). Please leave it out.",
        ),
        ("\u0301a", "U+0301", "There is an accent (U+0301) with no letter under it. Please add the letter."),
        (
            "x\u0301\u0302\u0303",
            "U+0301",
            "There are too many accents (U+0301) on one letter. Please use fewer.",
        ),
        ("क्" * 6, "U+0915", "One character (U+0915) is joined from too many parts. Please use fewer."),
    ],
)
def test_a_refusal_says_what_is_wrong_and_where(raw: str, found: str, message: str) -> None:
    """The player reads one sentence; programs get the offending code point or number, never the name."""
    error = refusal(raw)
    assert (error.message, error.details["found"]) == (message, found)


@pytest.mark.parametrize(
    ("raw", "flaw"),
    [
        ("\u202e\x00\u200b\uf8ff", Flaw.CONTROL),
        ("\u200b\u202e\uf8ff", Flaw.DIRECTION),
        ("\uf8ff\u200b \u0301", Flaw.INVISIBLE),
        ("\u0301\uf8ff", Flaw.UNKNOWN),
        ("\u0301" * 9 + "x" * 99, Flaw.LOOSE_MARK),
        ("a" + "\u0323" * 9 + "x" * 99, Flaw.TOO_MANY_MARKS),
        ("ᄀ" * 11 + "x" * 99, Flaw.TOO_LONG),
    ],
)
def test_of_several_flaws_the_worst_is_told(raw: str, flaw: Flaw) -> None:
    assert reason(raw) == flaw.value


# ---------- two names that are one


@pytest.mark.parametrize(
    "names",
    [
        ["Anna", "ANNA", "anna", "\u0410nna", "Ａｎｎａ", "𝐀𝐧𝐧𝐚", "Аnnа", "Ꭺnna", " anna ", "An\u00adna"],
        ["José", "Jose\u0301", "JOSÉ", "jose\u0301"],
        ["Straße", "STRASSE", "Strasse", "STRAẞE"],
        ["Işık", "IŞIK", "ışık", "işik", "İŞİK", "i̇şi̇k", "ı\u0307şı\u0307k"],
        ["I", "ı", "İ", "i", "l", "1", "|", "Ӏ", "і", "і\u0307"],
        ["Julia\u0307", "JULIȦ"],
        ["Bob", "B0b", "ВОВ", "вов", "Ᏼob", "B\u043eb"],
        ["Nina", "ΝINA", "ΝΙΝΑ", "Nιna"],
        ["Νίκος", "νίκος", "ΝΊΚΟΣ", "Νίκοσ"],
        ["Ivan", "Iνan", "IVAN"],
        ["Luna", "Lυna"],
        ["Вера", "ВЕРА", "вера", "Bepa"],
        ["Maria", "Мaria", "rnaria", "MARIA"],
        ["O'Brien", "O’Brien", "O´Brien", "Oʼbrien", "O`Brien"],
        ["Ann-Marie", "Ann‐Marie", "Ann–Marie", "Ann−Marie"],
        ["علی", "علي", "على"],
        ["کریم", "كريم"],
        ["علی‌رضا", "علیرضا"],
        ["דוד", "דוד\u200f", "\u200eדוד"],
        ["葛", "葛\U000e0100"],
        ["❤", "❤️", "❤︎"],
        ["Team 10", "Team 1O", "Team lO", "Team IO"],
        ["Ana  Lena", "Ana Lena", "Ana\u3000Lena"],
    ],
    ids=lambda names: names[0],
)
def test_names_that_look_the_same_have_one_key(names: list[str]) -> None:
    """Case, form, width, script and invisible characters make no second name."""
    assert {fold(name) for name in names} == {fold(names[0])}


@pytest.mark.parametrize(
    "names",
    [
        ["Ana", "Anna", "Ann", "Ava", "Eva", "Ena", "Ada"],
        ["Jose", "José", "Josè"],
        ["Ana", "Ana 2", "Ana 3", "Ana 12", "Ana 21"],
        ["ثریا", "پریا"],
        ["Nina", "Vina"],
        ["Нина", "Лина", "Дина"],
        ["AnaLena", "Ana Lena"],
        ["👑", "😀", FAMILY],
        ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
        ["Tom", "Tim", "Tum", "Tam"],
    ],
    ids=lambda names: names[0],
)
def test_names_that_differ_to_the_eye_keep_different_keys(names: list[str]) -> None:
    """The key is no hash of the rough shape: ordinary names don't collide."""
    assert len({fold(name) for name in names}) == len(names)


def test_every_look_alike_leads_straight_to_its_end() -> None:
    """No entry of the table leads to another one, to a capital, or to a form that normalising changes."""
    for point, look in CONFUSABLES.items():
        assert chr(point) != look
        assert look.translate(CONFUSABLES) == look
        assert normalize("NFKD", normalize("NFKD", look).casefold()) == look


# ---------- no doubles in a room


def test_a_free_name_stays_as_it_is() -> None:
    assert unique_name("Ana", {fold("Anna"), fold("Ava")}) == "Ana"


def test_the_second_of_a_name_gets_a_2_the_third_a_3() -> None:
    """Spec 2.1, also when the first is only a look-alike."""
    taken = {fold("Ana")}
    for typed, shown in [("Ana", "Ana 2"), ("ANA", "ANA 3"), ("\u0410na", "\u0410na 4")]:
        assert unique_name(typed, taken) == shown
        taken.add(fold(shown))


def test_a_number_that_somebody_has_already_is_passed_over() -> None:
    assert unique_name("Ana", {fold("Ana"), fold("ana 2")}) == "Ana 3"
    assert unique_name("Ana 2", {fold("Ana 2")}) == "Ana 2 2"


@pytest.mark.parametrize("character", ["x", FAMILY, "🇩🇪", "e\u0323\u0301", "न्दी"])
def test_a_long_name_is_shortened_inside_no_character(character: str) -> None:
    """24 stays the limit with the number, and what is left are whole characters."""
    name = clean_name(character * MAX_CHARACTERS)
    one = clean_name(character)
    assert unique_name(name, {fold(name)}) == one * 22 + " 2"
    taken = {fold(name), *(fold(f"{one * 22} {n}") for n in range(2, 10))}
    assert unique_name(name, taken) == one * 21 + " 10"


def test_the_cut_leaves_no_double_space() -> None:
    name = "x" * 21 + " yz"
    assert unique_name(name, {fold(name)}) == "x" * 21 + " 2"


# ---------- whatever is typed

SPICE = st.sampled_from(
    "aAnNiIıİlL1|0oOmßſ´¯ʼ'’\u0301\u0307\u0323\u0345\u0338 \u00a0\t\n\u200b\u200c\u200d\u200e\u200f\u202e"
    "\u2066\ufe0f\u20e3#😀❤👨👩🏽🏴\U000e0067\U000e007f🇩🇪νυΝηςСсаВвкمعل\u064e\u0651یक्षिזש\u05c1\u05bc"
    "กำ็ㅋㅏ각王\U000e0100\u3164\u2800ᠠ\u180bﬁﷺ™²½"
)
TYPED = st.text(SPICE | st.characters(), max_size=40) | st.text(SPICE, max_size=12)
"""Mostly refused."""

WHOLE = sorted({character for name in REAL for character in regex.findall(r"\X", name)})
LIKELY = st.lists(
    st.sampled_from(WHOLE) | st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=26
).map("".join)
"""Mostly accepted: characters of real names in any order, with any visible ones between them."""


def accepted(raw: str) -> str:
    try:
        return clean_name(raw)
    except ClientError:
        reject()


@given(LIKELY)
@example("1\ufe0f\u20e3").via("a keycap, where a digit is an emoji")
@example("ǆ\u0301").via("a compatibility form under an accent")
def test_cleaning_is_done_once(raw: str) -> None:
    """A clean name is its own clean form, has 1 to 24 characters and neither edge is a space."""
    name = accepted(raw)
    assert clean_name(name) == name
    assert 1 <= length(name) <= MAX_CHARACTERS
    assert name == name.strip()
    assert is_normalized("NFC", name)


@given(TYPED)
def test_nothing_typed_breaks_anything(raw: str) -> None:
    """Any text is either a name or refused for a reason of the vocabulary."""
    try:
        reasons = [] if clean_name(raw) else ["an empty name"]
    except ClientError as error:
        reasons = [error.details["reason"]]
    assert {*reasons} <= {flaw.value for flaw in Flaw}


@given(TYPED)
@example("İ\u0323")
@example("ᾳ\u0301")
@example("ø\u0323")
def test_a_key_is_its_own_key(raw: str) -> None:
    assert fold(fold(raw)) == fold(raw)


@given(LIKELY)
def test_cleaning_does_not_change_the_key(raw: str) -> None:
    """What was typed and what is shown are one name, so who comes back with either is recognised."""
    name = accepted(raw)
    assert fold(name) == fold(raw)


@given(LIKELY)
def test_the_key_knows_no_case_and_no_form(raw: str) -> None:
    name = accepted(raw)
    assert fold(normalize("NFD", name)) == fold(name)
    # A Greek letter in a Latin word is there for its looks, and its two cases don't look alike.
    assume(not (regex.search(r"\p{Greek}", name) and regex.search(r"\p{Latin}", name)))
    assert fold(name.casefold()) == fold(name)


@given(LIKELY, st.integers(0, 12))
def test_a_unique_name_is_new_clean_and_short(raw: str, others: int) -> None:
    """However many have the name already: the one given out is not taken, passes the rules and fits."""
    name = accepted(raw)
    taken: set[str] = set()
    for _ in range(others):
        taken.add(fold(unique_name(name, taken)))
    given_out = unique_name(name, taken)
    assert len(taken) == others
    assert fold(given_out) not in taken
    assert clean_name(given_out) == given_out
