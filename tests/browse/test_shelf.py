"""What the pages read."""

from orrery.browse.shelf import OpenDataset
from tests.library.samples import IN_ONE_PROCESS

pytestmark = IN_ONE_PROCESS

TABLE = "plan_generation"


def test_a_request_amid_another_reads_all_values_of_the_columns(build, monkeypatch):
    whole = OpenDataset(build.outputs / "dataset").choices(TABLE)
    shelf, ask = OpenDataset(build.outputs / "dataset"), OpenDataset._ask
    asked, amid = [], []

    def asking(self, sql):
        asked.append(sql)
        if len(asked) == 2:
            amid.append(dict(self.choices(TABLE)))
        return ask(self, sql)

    monkeypatch.setattr(OpenDataset, "_ask", asking)
    assert shelf.choices(TABLE) == whole
    assert amid == [whole]
