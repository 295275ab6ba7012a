"""Questions about states and plans: open ones, yes/no questions and multiple choice; a module a kind."""
