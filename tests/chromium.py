"""Chromium without a window, driven through its debugging pipe.

Tests skip on a machine without Chromium. In continuous integration (the variable ``CI`` is set), they fail.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell")
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--mute-audio",
    "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-proxy-server", "--remote-debugging-pipe",
)  # fmt: skip


def chromium() -> str:
    """Return the path of the program; without one, the test skips, or fails in continuous integration."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        missing = f"no Chromium on this machine: none of {', '.join(NAMES)} is on the PATH"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    return program


class Tab:
    """A tab: it opens addresses, and evaluates expressions in their pages."""

    def __init__(self, send, session):
        self._send, self._session = send, session
        self.requests: list[str] = []  # their addresses
        self.errors: list[str] = []  # in the console
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        """Return the result of a command of the protocol; note the events that come before it."""
        return self._send(method, params, self._session, self._note)

    def _note(self, event):
        match event.get("method"), event.get("params"):
            case "Network.requestWillBeSent", {"request": {"url": url}}:
                self.requests.append(url)
            case "Log.entryAdded", {"entry": {"level": "error", "text": text}}:
                self.errors.append(text)
            case "Runtime.exceptionThrown", {"exceptionDetails": details}:
                self.errors.append(str(details))

    def screen(self, width, height=900, *, dark=False):
        """Set the size of the screen, and the light or the dark theme."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[theme])

    def go(self, address):
        """Open an address and wait until the page is complete."""
        self.call("Page.navigate", url=address)
        self.settled()

    def settled(self):
        """Wait until the page with its pictures is complete."""
        assert self.value(
            "new Promise(done => { let times = 0; const look = () => document.readyState == 'complete' && "
            "[...document.images].every(image => image.complete) ? done(true) : "
            "times++ > 600 ? done(false) : setTimeout(look, 50); look() })"
        ), "the page is not complete after half a minute"

    def value(self, expression):
        """Return the value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key, code):
        """Press and release a key, given by its name and its code."""
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def picture(self, path: Path):
        """Write a picture of the visible part of the page."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


@contextmanager
def page():
    """Yield a tab of a new Chromium process; without the program, see ``chromium``."""
    program = chromium()
    commands, answers = os.pipe(), os.pipe()

    def place():
        # Chromium reads from descriptor 3 and writes to 4. The pipes may have these numbers themselves.
        os.dup2(commands[0], 100)
        os.dup2(answers[1], 101)
        os.dup2(100, 3)
        os.dup2(101, 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            [program, *OPTIONS, f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands[0])
        os.close(answers[1])
        with os.fdopen(commands[1], "wb", 0) as output, os.fdopen(answers[0], "rb") as stream:
            send = _sender(output, stream)
            try:
                targets = send("Target.getTargets", {})["targetInfos"]
                target = next(target["targetId"] for target in targets if target["type"] == "page")
                session = send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
                yield Tab(send, session)
            finally:
                process.kill()
                process.wait()


def _sender(output, stream):
    """Return a function that sends a command and returns its result."""
    numbers = count(1)

    def send(method, params, session=None, note=lambda event: None):
        number = next(numbers)
        command = {"id": number, "method": method, "params": params}
        command |= {"sessionId": session} if session else {}
        output.write(json.dumps(command).encode() + b"\0")
        while True:
            message = json.loads(_message(stream))
            if message.get("id") == number:
                assert "error" not in message, message["error"]
                return message["result"]
            note(message)

    return send


def _message(stream) -> bytes:
    message = bytearray()
    while (byte := stream.read(1)) != b"\0":
        if not byte:
            raise RuntimeError("Chromium ended")
        message += byte
    return bytes(message)
