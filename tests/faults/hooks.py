"""A site's own function that breaks, as the setting ``NAME_FILTER`` may name one."""

BREAKS = "Zed"


def name_filter(name: str) -> bool:
    """Welcomes everybody but falls over one name."""
    if name == BREAKS:
        raise LookupError("the list of bad words is missing")
    return True
