"""The operator's name, logo and colours: shown everywhere, refused if nobody could read them."""

import base64

import pytest
from live_server import LiveServer, Person

from boca.cli.serve.settings import read_settings
from boca.core.errors import InputError
from boca.live.web.brand import DARK, LIGHT, Brand, contrast
from boca.live.web.render import HERE

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>'
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
COLOURS = 'colour = "#004b87"\ncolour_dark = "#8ac4ff"\n'


def settings(tmp_path, text, logo=None):
    if logo is not None:
        (tmp_path / "logo.svg").write_bytes(logo.encode() if isinstance(logo, str) else logo)
    path = tmp_path / "server.toml"
    path.write_text(f"[operator]\n{text}")
    return path


def test_contrast_is_that_of_wcag():
    """Tests black on white, nothing on nothing, and a grey by the standard's formula."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#123456", "#123456") == 1
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


def test_grounds_are_those_of_the_style():
    """Tests that whoever changes the pages' colours changes what brands are compared with."""
    style = (HERE / "static" / "page.css").read_text()
    light, dark = style.split("prefers-color-scheme: dark", 1)
    for grounds, part in ((LIGHT, light), (DARK, dark)):
        for name, key in (("pages", "paper"), ("cards", "card"), ("tinted rows", "tint")):
            assert f"--{key}: {grounds[name]};" in part
        assert f"--on-accent: {grounds['text on it']};" in part


@pytest.mark.parametrize("logo", [SVG, PIXEL])
def test_good_brands_are_taken(tmp_path, logo):
    path = settings(tmp_path, f'name = "Office"\nlogo = "logo.svg"\n{COLOURS}', logo)
    brand = read_settings(path).brand
    assert {file.content for file in brand.files.values()} >= {
        logo.encode() if isinstance(logo, str) else logo
    }
    assert brand.style.endswith(".css")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nmae = 'x'", "did you mean 'name'"),
        ("name = 3", "expected one line"),
        ('name = "a\\nb"', "expected one line"),
        ('colour = "#004b87"', "lack operator.colour_dark"),
        ('colour = "blue"\ncolour_dark = "#8ac4ff"', "such as #004b87"),
        ('colour = "#8ac4ff"\ncolour_dark = "#8ac4ff"', "contrast with pages .* darker"),
        ('colour = "#004b87"\ncolour_dark = "#004b87"', "contrast with pages .* lighter"),
        ('colour = "#004b87;}"\ncolour_dark = "#8ac4ff"', "such as #004b87"),
        ('logo = "nowhere.png"', "cannot be read"),
    ],
)
def test_wrong_brands_are_refused_with_a_sentence(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read_settings(settings(tmp_path, text))


@pytest.mark.parametrize(
    "logo",
    [
        "no picture",
        b"\xff\xd8\xff\xe0 a JPEG",
        SVG.replace("<rect", "<script>alert(1)</script><rect"),
        SVG.replace("<rect", '<rect onload="alert(1)"'),
        SVG.replace("<rect", '<a href="https://example.org"><rect/></a><rect'),
        SVG.replace("<rect", '<image href="https://example.org/x.png"/><rect'),
        SVG.replace("<rect", '<rect fill="url(https://example.org/x)"/><rect'),
        SVG.replace("<rect", "<rect fill=\"url( 'https://example.org/x')\"/><rect"),
        SVG.replace("<rect", '<rect style="fill:url(//example.org/x)"/><rect'),
        SVG.replace("<rect", '<set attributeName="href" to="https://example.org"/><rect'),
        SVG.replace("<rect", '<animate attributeName="href" to="https://example.org"/><rect'),
        '<?xml-stylesheet href="https://example.org/x.css"?>' + SVG,
        '<!DOCTYPE svg [<!ENTITY a "b">]>' + SVG,
        ('<!DOCTYPE svg [<!ENTITY a "b">]>' + SVG).encode("utf-16"),
        SVG.replace("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"),
        SVG + " " * 200_000,
    ],
)
def test_only_pictures_are_logos(tmp_path, logo):
    """Tests scripts, links, documents and other formats under a good name."""
    with pytest.raises(InputError, match="expected"):
        read_settings(settings(tmp_path, 'logo = "logo.svg"', logo))


def test_a_picture_may_refer_to_its_own_parts(tmp_path):
    """Tests gradients, and the declaration that drawing programs write."""
    logo = '<?xml version="1.0" encoding="UTF-8"?>' + SVG.replace("<rect", '<rect fill="url(#a)"')
    assert read_settings(settings(tmp_path, 'logo = "logo.svg"', logo))


def test_contacts_lead_where_they_say():
    assert Brand(contact="a@example.org").link == "mailto:a@example.org"
    assert Brand(contact="https://example.org").link == "https://example.org"
    assert Brand(contact="javascript:alert(1)").link == ""
    assert Brand(contact="room 7").link == ""


def test_every_page_shows_the_operator(tmp_path):
    """Tests a real server: front, unknown pages and invitations, logo and colours included."""
    text = f'name = "Office <b>"\ncontact = "a@example.org"\nlogo = "logo.svg"\n{COLOURS}'
    path = settings(tmp_path, text, SVG)
    server = LiveServer(tmp_path / "data", options=("--settings", str(path))).start()
    try:
        person = Person(server.url)
        for address in ("/", "/nowhere", "/enter/unknown", "/new"):
            page = person.get(address).text
            assert "Office &lt;b&gt;" in page
            assert 'href="mailto:a@example.org"' in page
        brand = read_settings(path).brand
        for name, file in brand.files.items():
            answer = person.get(f"/static/{name}")
            assert answer.content == file.content
            assert answer.headers["content-type"] == file.media_type
            assert answer.headers["content-security-policy"].startswith("default-src 'none'")
            assert f"/static/{name}" in page
    finally:
        server.stop()
