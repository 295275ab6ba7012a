"""Tasks and rewards in the shapes that trainers of language models take."""
