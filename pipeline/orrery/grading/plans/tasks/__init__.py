"""The tasks about plans, one file for each way of grading.

Each file defines ``GRADERS``: a ``Grader`` for each ``group`` of rows. The files are found by listing this
folder.
"""
