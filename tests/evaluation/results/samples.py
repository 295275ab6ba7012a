"""Rows of scores made up for tests."""

ABOUT = {"model": "demo", "data": "abc", "finished": True}


def row(id="a/test/0", table="acp_app_gen", verdict="right", **columns):
    """One row of scores; what is not given is the same in all."""
    return {
        "model": "demo",
        "table": table,
        "split": "test",
        "id": id,
        "epoch": 1,
        "domain": "ferry",
        "kind": "app",
        "format": "open",
        "representation": "words",
        "style": "zero_shot",
        "difficulty": None,
        "plan_length": None,
        "explicitness": "",
        "seen": "",
        "turns": int(verdict != "failed"),
        "value": float(verdict == "right"),
        "verdict": verdict,
        "detail": "",
        "reply": "ANSWER: yes",
        "first_value": None if verdict == "failed" else float(verdict == "right"),
        "first_verdict": "" if verdict == "failed" else verdict,
        "input_tokens": 10,
        "output_tokens": 2,
        "seconds": 0.5,
        "error": "429 Too Many Requests" if verdict == "failed" else "",
        **columns,
    }


def rows(verdicts, **columns):
    """A row for each verdict, with ids of their own."""
    return [row(f"{n:06}", verdict=verdict, **columns) for n, verdict in enumerate(verdicts)]
