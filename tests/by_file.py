"""Which tests run in one process of several: those of a file, and those that name the same group."""

from xdist.scheduler.loadgroup import LoadGroupScheduling


class ByFile(LoadGroupScheduling):
    """Gives out files and groups, one at a time, to whichever process is free."""

    def _split_scope(self, nodeid):
        """Return the group that the test names, or its file."""
        return super()._split_scope(nodeid).partition("::")[0]
