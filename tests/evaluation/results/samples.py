"""Rows of scores made up for tests."""

from orrery.evaluation.results.statistics import ClusterSums, clustered_mean

ABOUT = {"model": "demo", "data": "abc", "finished": True}


def row(id="a/test/0", table="acp_app_gen", verdict="right", **columns):
    """One row of scores; what is not given is the same in all. Each row has a problem of its own."""
    return {
        "model": "demo",
        "table": table,
        "split": "test",
        "id": id,
        "turn": 0,
        "is_last": True,
        "domain": "ferry",
        "problem_id": id,
        "kind": "app",
        "format": "gen",
        "representation": "words",
        "style": "zero_shot",
        "difficulty": None,
        "plan_length": None,
        "objects": None,
        "explicitness": "",
        "seen": "",
        "value": float(verdict == "right"),
        "verdict": verdict,
        "detail": "",
        "reply": "ANSWER: yes",
        "answer": None,
        "finish_reason": "" if verdict == "failed" else "stop",
        "input_tokens": 10,
        "output_tokens": 2,
        "seconds": 0.5,
        "failure": "429 Too Many Requests" if verdict == "failed" else "",
        **columns,
    }


def turns(id, *verdicts, **columns):
    """The rows of one conversation, a reply for each verdict."""
    last = len(verdicts) - 1
    return [
        row(id, verdict=verdict, turn=turn, is_last=turn == last, **columns)
        for turn, verdict in enumerate(verdicts)
    ]


def accuracy(right, wrong):
    """The accuracy of rows on as many problems, with its interval."""
    values = [1] * right + [0] * wrong
    return clustered_mean([[ClusterSums(str(n), value, 1) for n, value in enumerate(values)]])


def rows(verdicts, **columns):
    """A row for each verdict, with ids of their own."""
    return [row(f"{n:06}", verdict=verdict, **columns) for n, verdict in enumerate(verdicts)]
