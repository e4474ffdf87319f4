"""Limits so high that everything is counted and nothing denied; plain data, printed with the results.

The product has no switch for them: the bench's own ASGI module puts them in.
"""

from gateway.contract import Budget

NEVER = 10**12
"""Frames per window that no bench reaches."""
NO_CAPS = {"SESSION_CAP": NEVER, "IP_CAP": NEVER, "UNKNOWN_IP_CAP": NEVER}
HIGH = (Budget(NEVER, 10),)
"""One budget of each action, as in the quiz: it is counted with every command."""
REAL = (Budget(60, 10),)
"""The budget of reactions in the quiz."""
