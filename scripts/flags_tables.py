"""What people decided about the flags: who is asked, how hard it is, which pairs a comparison misjudges.

Edited by hand and reviewed like prose; what can be computed is not here. `build_flags.py` makes
`rooms/questions/data/` of these tables, an icon set and CLDR; tests hold the two against each other. Codes
are ISO 3166-1 alpha-2.
"""

REGIONS = {"002": "africa", "019": "americas", "142": "asia", "150": "europe", "009": "oceania"}  # UN M49

# Territories that fly another country's flag, by law or for want of their own: the picture is another's.
# The overseas parts of France are here although some have a regional emblem: in law only the Tricolour is
# theirs, and New Caledonia flies two flags side by side.
PARENT_FLAG = {
    "BL": "FR",
    "BQ": "NL",
    "BV": "NO",
    "GF": "FR",
    "GP": "FR",
    "HM": "AU",
    "MF": "FR",
    "MQ": "FR",
    "NC": "FR",
    "PM": "FR",
    "RE": "FR",
    "SH": "GB",
    "SJ": "NO",
    "UM": "US",
    "WF": "FR",
    "YT": "FR",
}

UNINHABITED = frozenset({"AQ", "GS", "IO", "TF"})  # nobody to fly one; AQ has no official flag at all

# "GUAM", and the initials "V I", in letters that can be read on a phone.
NAMED_ON_FLAG = frozenset({"GU", "VI"})

# Called by CLDR's short name in the pages' other languages, as Chromium calls them during the game: its long
# names are an administration's ("Special Administrative Region ..."), which no answer button has room for.
SHORT_NAMED = frozenset({"HK", "MO", "PS"})

# Small lettering that names the country and can be read on a projector: left off, so that the answer is not
# in the picture. CSS selectors into the icon set's drawings; mottoes stay.
LETTERING = {
    "AF": 'path[d^="M350.8 319.4"]',  # "Afghanistan" on the ribbon
    "BN": 'g[fill="#f7e017"]',  # "Brunei, abode of peace" on the ribbon, and the motto in the crescent
    "BO": 'path[d^="m293.3 233.5"]',  # "BOLIVIA"
    "DO": 'path[d^="M297.4 277h"]',  # "REPUBLICA DOMINICANA"
    "NI": 'path[d^="m248 239.5 8"]',  # "REPUBLICA DE NICARAGUA AMERICA CENTRAL"
    "PY": 'path[d^="m287.3 263.7"]',  # "REPUBLICA DEL PARAGUAY"
    "SV": 'g[fill="#fc0"]:not([stroke])',  # "REPUBLICA DE EL SALVADOR EN LA AMERICA CENTRAL"
}

# Dependent territories with a flag of their own, and Western Sahara: asked only in `hard`.
TERRITORIES = frozenset(
    {
        *(
            "AI",
            "AS",
            "AW",
            "AX",
            "BM",
            "CC",
            "CK",
            "CW",
            "CX",
            "EH",
            "FK",
            "FO",
            "GG",
            "GI",
            "GL",
            "HK",
            "IM",
            "JE",
        ),
        *("KY", "MO", "MP", "MS", "NF", "NU", "PF", "PN", "PR", "SX", "TC", "TK", "VG"),
    }
)

# Seen on television, at tournaments and on holidays. At least ten a region: four options must always differ.
WELL_KNOWN = frozenset(
    {
        *("CM", "DZ", "EG", "ET", "GH", "KE", "LY", "MA", "NG", "RW", "SN", "SO", "TN", "TZ", "UG", "ZA"),
        *("AR", "BR", "CA", "CL", "CO", "CR", "CU", "EC", "JM", "MX", "PA", "PE", "US", "UY", "VE"),
        *(
            "AE",
            "CN",
            "ID",
            "IL",
            "IN",
            "IQ",
            "IR",
            "JP",
            "KP",
            "KR",
            "LB",
            "MY",
            "NP",
            "PH",
            "PK",
            "QA",
            "SA",
            "SG",
        ),
        *("TH", "TR", "VN"),
        *(
            "AT",
            "BE",
            "CH",
            "CZ",
            "DE",
            "DK",
            "ES",
            "FI",
            "FR",
            "GB",
            "GR",
            "HR",
            "HU",
            "IE",
            "IS",
            "IT",
            "NL",
            "NO",
        ),
        *("PL", "PT", "RO", "RU", "SE", "UA"),
        *("AU", "FJ", "KI", "NZ", "PG", "PW", "SB", "TO", "VU", "WS"),
    }
)

# Share of the area in other colours up to which two flags count as look-alikes. Below are pairs that differ
# by a small badge or a shade, the last Andorra and Romania (0.054) and China and Morocco (0.055); the next
# above is another matter at a glance (New Zealand and Tuvalu, 0.068).
ALIKE_SHARE = 0.06

# Look-alikes above that share, because a badge or a jagged edge takes up enough of the picture.
ALSO_ALIKE = {
    "maroon or red, told apart by counting the teeth": ("BH", "QA"),
    "blue, yellow and red upright: the arms are small": ("AD", "MD", "RO", "TD"),
    "white, blue and red lying: the arms are small": ("RU", "SI", "SK"),
    "yellow, blue and red lying: the arms or stars are small": ("CO", "EC", "VE"),
    "Pan-Arab stripes with a red triangle: the signs on them are small": ("EH", "JO", "PS"),
    "British Blue Ensigns: only the badge differs": ("AI", "FK", "KY", "MS", "PN", "TC", "VG"),
}
