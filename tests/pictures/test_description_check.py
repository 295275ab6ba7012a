"""Descriptions of pictures fit their domains."""

import pytest

from orrery.model import OrreryError
from orrery.pictures.description_check import check_picture
from tests.every_domain import CATALOG


@pytest.mark.parametrize("name", CATALOG.names)
def test_the_picture_of_every_domain_names_what_is_declared(name):
    entry = CATALOG.entry(name)
    check_picture(entry.description.picture, entry.domain)


@pytest.mark.parametrize(
    ("picture", "said"),
    [
        (
            {"kind": "places", "inside": {"att": [1, 2]}},
            r"picture\.inside: names 'att'",
        ),
        (
            {"kind": "places", "place": ["location", "town"]},
            r"picture\.place: names 'town'",
        ),
        ({"kind": "places", "list": {"moved": "mover"}}, r"picture\.list: names 'mover'"),
        ({"kind": "places", "pile": 7}, r"picture\.pile: names '7'"),
        ({"kind": "places", "plaice": "location"}, "does not know 'plaice'.*'place'"),
    ],
)
def test_what_is_not_declared_is_refused(picture, said):
    with pytest.raises(OrreryError, match=said):
        check_picture(picture, CATALOG.entry("ferry").domain)
