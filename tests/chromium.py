"""Chromium without a window, driven through its debugging pipe; tests skip where the machine has none."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell")
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--mute-audio",
    "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-proxy-server", "--remote-debugging-pipe",
)  # fmt: skip


def found() -> str | None:
    """The program, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Tab:
    """A tab: it goes to addresses, and says what is there."""

    def __init__(self, send, session):
        self._send, self._session = send, session
        self.asked: list[str] = []  # addresses that were asked for
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        """The result of a command of the protocol; events on the way are noted."""
        return self._send(method, params, self._session, self._noted)

    def _noted(self, event):
        if event.get("method") == "Network.requestWillBeSent":
            self.asked.append(event["params"]["request"]["url"])

    def screen(self, width, height=900, *, dark=False):
        """Take a screen of this size, and a light or dark dress."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        dress = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[dress])

    def go(self, address):
        """Open an address and wait until all of it is there."""
        self.call("Page.navigate", url=address)
        self.settled()

    def settled(self):
        """Wait until the page is complete, pictures and all."""
        assert self.value(
            "new Promise(done => { let times = 0; const look = () => document.readyState == 'complete' && "
            "[...document.images].every(each => each.complete) ? done(true) : times++ > 600 ? done(false) : "
            "setTimeout(look, 50); look() })"
        ), "the page is not complete after half a minute"

    def value(self, expression):
        """The value of an expression in the page."""
        told = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def picture(self, path: Path, *, whole=False):
        """Write a picture of what is seen."""
        told = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(told["data"]))


@contextmanager
def page():
    """A tab of a Chromium of its own; skips where there is none."""
    program = found()
    if program is None:
        pytest.skip(f"no Chromium on this machine: none of {', '.join(NAMES)} is on the PATH")
    to_read, to_write = os.pipe(), os.pipe()

    def placed():
        # By way of higher numbers, for 3 and 4 may be those of the other pipe.
        os.dup2(to_read[0], 100)
        os.dup2(to_write[1], 101)
        os.dup2(100, 3)
        os.dup2(101, 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        # Descriptors 3 and 4 are where Chromium reads commands and writes what it says.
        process = subprocess.Popen(
            [program, *OPTIONS, f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=placed, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_read[0])
        os.close(to_write[1])
        with os.fdopen(to_read[1], "wb", 0) as out, os.fdopen(to_write[0], "rb") as said:
            send = _sender(out, said)
            try:
                targets = send("Target.getTargets", {})["targetInfos"]
                target = next(each["targetId"] for each in targets if each["type"] == "page")
                session = send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
                yield Tab(send, session)
            finally:
                process.kill()
                process.wait()


def _sender(out, said):
    """What sends a command and returns its result."""
    number = 0

    def send(method, params, session=None, noted=lambda event: None):
        nonlocal number
        number += 1
        command = {"id": number, "method": method, "params": params}
        command |= {"sessionId": session} if session else {}
        out.write(json.dumps(command).encode() + b"\0")
        while True:
            told = json.loads(_line(said))
            if told.get("id") == number:
                assert "error" not in told, told["error"]
                return told["result"]
            noted(told)

    return send


def _line(said) -> bytes:
    found = bytearray()
    while (byte := said.read(1)) != b"\0":
        if not byte:
            raise RuntimeError("Chromium ended")
        found += byte
    return bytes(found)
