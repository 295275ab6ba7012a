"""Measure the processor time of the pages of `orrery browse` while clients search.

Each client searches without a pause: as many words as are allowed, of two letters (most rows have them) and
rare ones, 300 words, marks of regular expressions, and one rare word. Meanwhile other pages are requested one
after another. Processor time of a page: that of the server without the threads of searches.
Run from the repository's root: python benchmarks/browsing.py [--dataset FOLDER] [--clients 20] [--pages 60]
"""

import argparse
import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from itertools import cycle, islice, product
from pathlib import Path
from statistics import median
from urllib.parse import quote

import uvicorn

from orrery.browse.app import browser
from orrery.dataset.selection import MOST_WORDS
from orrery.dataset.views import query

ROOT = Path(__file__).resolve().parent.parent
SEARCHED = ("acp_app_gen", "text_to_pddl", "plan_generation", "questions")  # tables, and a family
SEARCHES = (
    " ".join(islice(map("".join, product("etaoins", "earionst")), MOST_WORDS)),
    " ".join(f"word{number}" for number in range(MOST_WORDS)),
    " ".join(f"word{number}" for number in range(300)),
    "(a|aa)+$ .*.*.* [^a]{9,}",
    "zyzzyva",
)
LIMITS = ("of processor time", "different words")


def get(address):
    """Return status and text of a page."""
    try:
        with urllib.request.urlopen(address, timeout=600) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def search(address, clients):
    """Search with so many threads until the standard input ends; print the number of answers by outcome."""
    outcomes, ended = Counter(), threading.Event()

    def client(first):
        for number in range(first, sys.maxsize):
            if ended.is_set():
                break
            source, words = SEARCHED[number % len(SEARCHED)], SEARCHES[number // 4 % len(SEARCHES)]
            with contextlib.suppress(OSError):
                status, text = get(f"{address}/rows/{source}?q={quote(words)}")
                limit = next((limit for limit in LIMITS if status == 404 and limit in text), "")
                outcomes[f"limit {limit}" if limit else str(status)] += 1

    for number in range(clients):
        threading.Thread(target=client, args=(5 * number,), daemon=True).start()
    sys.stdin.read()
    ended.set()
    print(dict(sorted(outcomes.items())), flush=True)
    os._exit(0)  # threads still wait for answers


def pages_of(dataset):
    """Return addresses of pages by kind, without searches; of plans, the longest ones."""
    longest = {"plan_generation": " order by len(plan) desc"}
    statements = {table: f"select id from {table}{longest.get(table, '')} limit 5" for table in SEARCHED[:3]}
    rows = {table: query(dataset, sql)["id"].to_pylist() for table, sql in statements.items()}
    addresses = {"tables": ["/"], "report": ["/report/index.html"]}
    addresses["row"] = [
        f"/row/{quote(name)}?table={table}" for table, names in rows.items() for name in names
    ]
    plans = rows["plan_generation"]
    addresses["picture"] = [f"/picture/state/{quote(name)}?table=plan_generation" for name in plans]
    addresses["animation"] = [f"/picture/film/{quote(name)}?table=plan_generation" for name in plans]
    return addresses


def seconds_of_others():
    """Return the processor seconds of this process without its searches and this thread."""
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("search")]
    clocks = [time.pthread_getcpuclockid(thread.ident) for thread in threads]
    return time.process_time() - time.thread_time() - sum(map(time.clock_gettime, clocks))


def measure(address, pages, number):
    """Print median and worst times of the pages, by kind."""
    for kind, addresses in pages.items():
        work, clock = [], []
        for page in islice(cycle(addresses), number):
            start, elapsed = seconds_of_others(), time.perf_counter()
            status, _ = get(address + page)
            assert status == 200, page
            work.append(seconds_of_others() - start)
            clock.append(time.perf_counter() - elapsed)
        print(
            f"  {kind:10} processor: median {median(work):.3f} s, worst {max(work):.3f} s; "
            f"by the clock: median {median(clock):.3f} s, worst {max(clock):.3f} s",
            flush=True,
        )


def main():
    """Serve a dataset, and measure its pages without searches and with them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dataset", type=Path, default=ROOT / "outputs" / "dataset")
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--pages", type=int, default=60, help="of each kind")
    parser.add_argument("--search", metavar="ADDRESS", help="be the clients of a server")
    options = parser.parse_args()
    if options.search:
        search(options.search, options.clients)
        return
    site, pages = browser(options.dataset, options.dataset.parent, ROOT), pages_of(options.dataset)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(site, log_level="warning", access_log=False, lifespan="off"))
        serve = server.serve(sockets=[listening])
        serving = threading.Thread(target=asyncio.run, args=(serve,), daemon=True)
        serving.start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        for clients in (0, options.clients):
            print(f"{clients} clients search", flush=True)
            command = [sys.executable, __file__, "--search", address, "--clients", str(clients)]
            with subprocess.Popen(command, stdin=subprocess.PIPE) as searching:
                time.sleep(2 if clients else 0)
                measure(address, pages, options.pages)
                searching.stdin.close()
        server.should_exit = True
        serving.join()


if __name__ == "__main__":
    main()
