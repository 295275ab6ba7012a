"""A server of worlds in this process, at a real port."""

import threading
import time

import httpx
import pytest
import uvicorn

from orrery.serve.app import worlds_app
from orrery.serve.exchange import MOST_BYTES
from orrery.serve.requested_worlds import WorldMaker
from orrery.serve.sessions import Sessions
from tests.every_domain import ROOT


@pytest.fixture(scope="package")
def maker():
    maker = WorldMaker(ROOT, "ferry")
    maker.world({"seed": 0})  # loads compiled code
    return maker


@pytest.fixture(scope="package")
def address(maker):
    """The address of a server whose default domain is ferry."""
    config = uvicorn.Config(
        worlds_app(Sessions(), maker), port=0, log_level="error", ws_max_size=MOST_BYTES, lifespan="on"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=20)


@pytest.fixture
def client(address):
    """A client that keeps no cookies of other tests."""
    with httpx.Client(base_url=address, timeout=60) as client:
        yield client
