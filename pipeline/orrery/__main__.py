"""``python -m orrery``: the command line, where the command itself is not on the path."""

from orrery.cli.main import app

if __name__ == "__main__":
    app(prog_name="orrery")
