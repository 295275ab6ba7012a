"""The kinds of question, a file each.

A file here has ``GRADERS``: for each ``group`` of rows, in open form (``gen``), as yes/no question (``bool``)
and as choice (``mc`` or ``mcq``), the grader. There is no list of the files: each is found by looking here.
"""
