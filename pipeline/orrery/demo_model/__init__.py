"""A scripted model on localhost, to try with what asks models."""
