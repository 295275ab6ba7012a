"""Texts in English or obfuscated words: sentences, passages, frames, and reading them back."""
