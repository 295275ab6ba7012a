"""Paraphrases of texts by users or by models, each accepted where its problem is recovered exactly."""
