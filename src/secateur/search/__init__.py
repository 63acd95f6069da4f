"""Learning to search: decisions, work, rewards and learners, free of any parsing."""
