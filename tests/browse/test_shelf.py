"""What the pages read."""

from orrery.browse.shelf import Shelf

TABLE = "plan_generation"


def test_a_request_amid_another_reads_all_values_of_the_columns(build, monkeypatch):
    whole = Shelf(build.outputs / "dataset").choices(TABLE)
    shelf, ask = Shelf(build.outputs / "dataset"), Shelf._ask
    asked, amid = [], []

    def asking(self, sql):
        asked.append(sql)
        if len(asked) == 2:
            amid.append(dict(self.choices(TABLE)))
        return ask(self, sql)

    monkeypatch.setattr(Shelf, "_ask", asking)
    assert shelf.choices(TABLE) == whole
    assert amid == [whole]
