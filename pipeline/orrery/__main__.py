"""``python -m orrery``: the command line, for use if the command is not on the PATH."""

from orrery.cli.main import app

if __name__ == "__main__":
    app(prog_name="orrery")
