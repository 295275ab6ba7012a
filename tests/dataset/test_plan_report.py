"""The report on plans: rows and rejects by task."""

from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq

from orrery.dataset import contents
from orrery.dataset.plan_report import PlanFigures, plan_figures
from orrery.dataset.report import link
from orrery.dataset.row_counts import count_rejects, count_rows
from orrery.language.words import environment
from orrery.problems.schemas import REJECTS, reject
from orrery.store.shards import write
from tests.every_domain import ROOT


def test_rows_and_rejects_are_counted_by_task_and_rule(tmp_path):
    settings = SimpleNamespace(outputs=tmp_path, domains=["corridor"])
    dataset = tmp_path / "dataset"
    assert plan_figures(count_rows(dataset), []) is None
    path = dataset / "data" / "plan_reuse" / "test-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table({"id": ["0", "1"], "domain": ["corridor"] * 2}), path)
    contents.write_manifest(dataset)
    reasons = ["plan_reuse: prefix_solves", "reuse: prefix_solves", "reuse: goal_holds"]
    rejects = [reject("pose", "corridor", "x", reason) for reason in reasons]
    rejects.append(reject("ask", "corridor", "x", "land_bool: odd"))
    write(tmp_path / "plans" / "corridor" / "rejects.parquet", REJECTS, rejects)
    plans = plan_figures(count_rows(dataset), count_rejects(settings))
    assert plans.rows == {"corridor": {"reuse": 2}}
    assert plans.rejected == {
        ("reuse", "goal_holds"): {"corridor": 1},
        ("reuse", "prefix_solves"): {"corridor": 2},
    }
    assert plans.not_asked("corridor", "reuse") == [("prefix_solves", 2), ("goal_holds", 1)]
    assert (plans.total(), plans.total("reuse"), plans.total("optimal")) == (2, 2, 0)
    assert plans.as_json()["rows"] == plans.rows


def test_the_page_names_the_rules_of_what_was_not_asked():
    plans = PlanFigures(
        ["reuse"], {"corridor": {"reuse": 400}}, {("reuse", "goal_holds <it>"): {"corridor": 3}}
    )
    page = environment(ROOT / "templates").get_template("report/plans.html.j2").render(plans=plans, link=link)
    assert "goal_holds &lt;it&gt;: 3" in page
    assert "400" in page
