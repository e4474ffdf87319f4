"""What every source of questions draws in the same way."""

from base64 import urlsafe_b64encode
from hashlib import blake2b
from random import Random

ID_BYTES = 6  # 8 characters; two equal ids in one question: once in 10**13 questions


def random_id(rng: Random) -> str:
    """An id of a question or a choice, from the game's seed."""
    # Hashed: enough plain numbers of a Mersenne Twister tell all its later ones, and with them the answers.
    return urlsafe_b64encode(blake2b(rng.randbytes(16), digest_size=ID_BYTES).digest()).decode()
