"""Pictures of questions: nothing that was uploaded is ever served, only its pixels, encoded anew.

Bounded in bytes, pixels and frames before anything is decoded. Where pictures are kept is in
``rooms.questions.models``, how they are served in ``rooms.questions.views``.
"""

import io
import warnings
from typing import Final

from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _
from PIL import Image, ImageOps

from rooms.questions.drafts import Picture

MAX_BYTES: Final = 8 * 2**20
"""Of an upload: the photograph of a phone."""
MAX_PIXELS: Final = 25_000_000
"""Of an upload: 100 MB while it is decoded."""
MAX_SIDE: Final = 1600
"""Pixels of what is kept: a projector's width."""
QUALITY: Final = 85
MIMES: Final = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
"""The formats that are taken, and as what they are served."""


class PictureError(ValueError):
    """It can't be a question's picture; the text says why, to people."""


def encoded(data: bytes, alt: str = "") -> Picture:
    """The picture anew: upright, at most `MAX_SIDE` wide and high, its first frame, without metadata."""
    if len(data) > MAX_BYTES:
        raise PictureError(_("picture: more than %d MiB") % (MAX_BYTES // 2**20))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own opinion of broken metadata, which is dropped
            return _encoded(data, alt)
    except Image.DecompressionBombError as error:  # Pillow raises it, too, for what is larger still
        raise PictureError(_("picture: more than %d pixels") % MAX_PIXELS) from error
    except Exception as error:  # decoders raise whatever they like (OSError, SyntaxError, struct.error, …)
        raise PictureError(_("picture: not a PNG, JPEG or WebP file that can be read")) from error


def _encoded(data: bytes, alt: str) -> Picture:
    with Image.open(io.BytesIO(data), formats=tuple(MIMES)) as image:
        format_ = str(image.format)
        if image.width * image.height > MAX_PIXELS:
            raise Image.DecompressionBombError
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


def unsealed(data: bytes, mime: str, alt: str, given: str) -> Picture:
    """The picture of an exported file; encoded anew unless the seal is right."""
    picture = Picture(data, mime, alt)
    return picture if constant_time_compare(seal(picture), given) else encoded(data, alt)
