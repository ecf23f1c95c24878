"""Duplicate rates over time, alert rules, and what changed when they change. It prints; others deliver."""
