"""Pictures: encoded anew, bounded before they are decoded, served as what they are."""

import io

import pytest
from django.test import Client
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from rooms.questions import models, pictures
from rooms.questions.pictures import MAX_SIDE, PictureError, encoded
from tests.rooms.questions.kit import picture_file, png_of_claimed_size


def opened(data: bytes) -> Image.Image:
    """The picture, decoded."""
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


@pytest.mark.parametrize("format_", ["PNG", "JPEG", "WEBP"])
def test_a_picture_keeps_its_format_and_its_looks(format_: str) -> None:
    picture = encoded(picture_file(format_, (40, 30)), "a square")
    image = opened(picture.data)
    assert (image.format, image.size, picture.mime, picture.alt) == (
        format_,
        (40, 30),
        pictures.MIMES[format_],
        "a square",
    )
    assert all(
        abs(is_ - was) < 12
        for is_, was in zip(image.convert("RGB").getpixel((5, 5)), (200, 30, 30), strict=True)
    )


def test_what_is_not_pixels_is_gone() -> None:
    """Places, names, comments, profiles, and whatever hangs behind the file."""
    info = PngInfo()
    info.add_text("Comment", "secret place")
    exif = Image.Exif()
    exif[0x010F] = "secret camera"
    for data in (
        picture_file("PNG", pnginfo=info, exif=exif),
        picture_file("JPEG", exif=exif, comment=b"secret comment"),
        picture_file("WEBP", exif=exif),
        picture_file("PNG") + b"secret <script>alert(1)</script>",
    ):
        made = encoded(data).data
        assert b"secret" not in made
        assert not opened(made).getexif()


def test_a_turned_photograph_is_upright() -> None:
    """Its turn was in the metadata, which is gone."""
    exif = Image.Exif()
    exif[0x0112] = 6
    assert opened(encoded(picture_file("JPEG", (40, 20), exif=exif)).data).size == (20, 40)


def test_a_large_picture_is_scaled_to_a_screen() -> None:
    assert max(opened(encoded(picture_file("PNG", (3000, 100))).data).size) == MAX_SIDE


def test_transparency_is_kept() -> None:
    file = io.BytesIO()
    Image.new("RGBA", (4, 4), (0, 0, 0, 0)).save(file, "PNG")
    assert opened(encoded(file.getvalue()).data).getpixel((0, 0))[3] == 0


def test_of_a_moving_picture_the_first_frame_is_kept() -> None:
    file = io.BytesIO()
    frames = [Image.new("RGB", (4, 4), colour) for colour in ("red", "blue")]
    frames[0].save(file, "WEBP", save_all=True, append_images=frames[1:])
    assert getattr(opened(encoded(file.getvalue()).data), "n_frames", 1) == 1


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GIF89a" + b"\0" * 40,
        b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
        b"<html><script>alert(1)</script></html>",
        picture_file("GIF"),
        picture_file("BMP"),
        picture_file("TIFF"),
        picture_file("PNG")[:45],
        b"\x89PNG\r\n\x1a\n" + b"\xff" * 100,
    ],
)
def test_nothing_but_png_jpeg_and_webp_is_taken(data: bytes) -> None:
    """By content: what a file says of itself is not asked."""
    with pytest.raises(PictureError, match="not a PNG, JPEG or WebP"):
        encoded(data)


@pytest.mark.parametrize("size", [(50_000, 50_000), (10_000, 10_000), (25_000_001, 1)])
def test_a_picture_that_claims_to_be_huge_is_refused_undecoded(size: tuple[int, int]) -> None:
    """A hundred bytes that would be gigabytes."""
    with pytest.raises(PictureError, match="more than 25000000 pixels"):
        encoded(png_of_claimed_size(*size))


def test_a_picture_of_too_many_bytes_is_refused() -> None:
    with pytest.raises(PictureError, match="more than 8 MiB"):
        encoded(b"\x89PNG" + b"\0" * pictures.MAX_BYTES)


# ---------- served


@pytest.mark.django_db
def test_a_picture_is_served_as_what_it_is_and_as_nothing_else() -> None:
    """Cacheable for ever, for its address changes when it does; nobody has to be signed in to play."""
    made = encoded(picture_file())
    row = models.Picture.objects.create(data=made.data, mime=made.mime)
    response = Client().get(row.get_absolute_url())
    assert response.content == made.data
    assert response["Content-Type"] == "image/png"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "immutable" in response["Cache-Control"]
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "default-src 'none'" in response["Content-Security-Policy"]


@pytest.mark.django_db
def test_an_address_cannot_be_guessed() -> None:
    """144 random bits each; numbers of rows lead nowhere."""
    rows = [models.Picture.objects.create(data=b"x", mime="image/png") for _ in range(2)]
    assert len({row.name for row in rows}) == 2
    assert all(len(row.name) == 24 for row in rows)
    assert Client().get(f"/pictures/{rows[0].pk}").status_code == 404
    assert Client().post(rows[0].get_absolute_url()).status_code == 405
