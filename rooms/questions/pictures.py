"""Pictures of questions: nothing that was uploaded is ever served, only its pixels, encoded anew.

Bounded in bytes, pixels and frames before anything is decoded. Where pictures are kept is in
``rooms.questions.models``, how they are served in ``rooms.questions.views``.
"""

import io
import warnings
from typing import Final

from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _
from msgspec import Struct
from PIL import Image, ImageOps

from rooms.questions.drafts import Picture

MAX_BYTES: Final = 8 * 2**20
"""Of an upload: the photograph of a phone."""
MAX_PIXELS: Final = 25_000_000
"""Of an upload: 100 MB while it is decoded."""
MAX_SIDE: Final = 1600
"""Pixels of what is kept: a projector's width."""
QUALITY: Final = 85
MAX_FILE_PIXELS: Final = 500_000_000
"""Of all pictures of one imported file, some 5 s: 12 MiB hold half as many, unless they are a bomb."""
MAX_FILE_KEPT: Final = 8 * 2**20
"""Bytes of all pictures that one imported file leaves: as base64 they fit into a file that is read again."""
MIMES: Final = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
"""The formats that are taken, and as what they are served."""


class PictureError(ValueError):
    """It can't be a question's picture; the text says why, to people."""


class Allowance(Struct):
    """What the pictures of one imported file may still cost together."""

    pixels: int = MAX_FILE_PIXELS
    kept: int = MAX_FILE_KEPT

    def decodes(self, pixels: int) -> None:
        """So many pixels are about to be decoded; raises `PictureError`."""
        if pixels > self.pixels:
            raise PictureError(
                _("picture: those of the file have more than %d pixels together") % MAX_FILE_PIXELS
            )
        self.pixels -= pixels

    def keeps(self, picture: Picture) -> Picture:
        """This one is kept; raises `PictureError`."""
        if len(picture.data) > self.kept:
            raise PictureError(
                _("picture: those of the file need more than %d MiB together") % (MAX_FILE_KEPT // 2**20)
            )
        self.kept -= len(picture.data)
        return picture


def encoded(data: bytes, alt: str = "", allowance: Allowance | None = None) -> Picture:
    """The picture anew: upright, at most `MAX_SIDE` wide and high, its first frame, without metadata.

    One of an imported file is given that file's allowance.
    """
    if len(data) > MAX_BYTES:
        raise PictureError(_("picture: more than %d MiB") % (MAX_BYTES // 2**20))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own opinion of broken metadata, which is dropped
            picture = _encoded(data, alt, allowance)
        return picture if allowance is None else allowance.keeps(picture)
    except PictureError:
        raise
    except Image.DecompressionBombError as error:  # Pillow raises it, too, for what is larger still
        raise PictureError(_("picture: more than %d pixels") % MAX_PIXELS) from error
    except Exception as error:  # decoders raise whatever they like (OSError, SyntaxError, struct.error, …)
        raise PictureError(_("picture: not a PNG, JPEG or WebP file that can be read")) from error


def _encoded(data: bytes, alt: str, allowance: Allowance | None) -> Picture:
    with Image.open(io.BytesIO(data), formats=tuple(MIMES)) as image:
        format_ = str(image.format)
        if image.width * image.height > MAX_PIXELS:
            raise Image.DecompressionBombError
        if allowance is not None:
            allowance.decodes(image.width * image.height)
        image.draft("RGB", (MAX_SIDE, MAX_SIDE))  # a JPEG is decoded at a fraction of its size
        upright = ImageOps.exif_transpose(image)
        upright.thumbnail((MAX_SIDE, MAX_SIDE))
        has_alpha = format_ != "JPEG" and upright.has_transparency_data
        pixels = upright.convert("RGBA" if has_alpha else "RGB")
    made = Image.new(pixels.mode, pixels.size)  # a new image: no profile, comment or date comes along
    made.paste(pixels)
    file = io.BytesIO()
    made.save(file, format_, quality=QUALITY)
    return Picture(file.getvalue(), MIMES[format_], alt)


# ---------- what this site encoded itself comes back as it is


def seal(picture: Picture) -> str:
    """Proof for an exported file that these bytes are this site's own: else each round would blur a JPEG."""
    return salted_hmac("rooms.questions.pictures", picture.mime.encode() + picture.data).hexdigest()


def unsealed(stored: Picture, given: str, allowance: Allowance) -> Picture:
    """The picture of an exported file; encoded anew unless the seal is right."""
    if constant_time_compare(seal(stored), given):
        return allowance.keeps(stored)
    return encoded(stored.data, stored.alt, allowance)
