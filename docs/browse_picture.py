"""The picture in docs/browse.md: a row of a built dataset, as Chromium shows its page.

``python docs/browse_picture.py`` needs a build in ``outputs`` and a Chromium; it writes
docs/pictures/browse.png.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tests.chromium import page  # noqa: E402

WIDTH, HEIGHT = 1000, 1680
SQL = (
    "select id from plan_generation_test where domain = 'ferry' and vocabulary = 'plain' and plan_length > 3 "
    "order by plan_length, id limit 1"
)


def main() -> None:
    """Serve the pages, and take the picture of one."""
    orrery = [sys.executable, "-m", "orrery"]
    with_path = {"cwd": ROOT, "stdout": subprocess.PIPE, "text": True}
    listed = subprocess.run([*orrery, "query", SQL, "--format", "csv"], check=True, **with_path).stdout
    row = listed.splitlines()[1]
    server = subprocess.Popen([*orrery, "browse", "--port", "0"], **with_path)
    try:
        address = server.stdout.readline().strip()
        with page() as tab:
            tab.screen(WIDTH, HEIGHT)
            tab.go(f"{address}/row/{row}")
            tab.picture(ROOT / "docs" / "pictures" / "browse.png")
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
