"""The inspector: a page at `/` that shows one selection at work, and asks people which of two sets serves better.

Rendered on the server, figures too. The script only saves page loads; everything works as plain form posts.
"""
