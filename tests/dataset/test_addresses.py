"""What may be secret of an address is left out."""

import pytest

from orrery.dataset.addresses import plain_url


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("http://127.0.0.1:8765/v1", "http://127.0.0.1:8765/v1"),
        ("https://user:password@host.example:8080/v1?api-key=secret#part", "https://host.example:8080/v1"),
        ("https://key@host/v1", "https://host/v1"),
    ],
)
def test_urls_lose_what_may_be_secret(url, plain):
    assert plain_url(url) == plain
