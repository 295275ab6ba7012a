"""The kinds of question, one file each.

Each file defines ``GRADERS``: a grader for each ``group`` of rows, in open form (``gen``), as yes/no question
(``bool``) and as multiple choice (``mc`` or ``mcq``). The files are found by listing this folder.
"""
