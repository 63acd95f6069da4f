"""What a policy sees: templates over a sentence, hashed."""
