"""What is asked about plans, a file for each way to grade.

A file here has ``GRADERS``: a ``Grader`` for each ``group`` of rows. There is no list of the files: each
is found by looking here.
"""
