"""The searches a policy can control."""
