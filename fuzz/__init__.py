"""Coverage-guided fuzzing of what reads strangers' bytes, with Atheris: ``make fuzz``.

A target is a module with a `check`, which raises when a rule is broken, and the `SEEDS` to begin with. What
was ever found lies in ``fuzz/found/<target>/`` and is checked by ``tests/fuzz`` for ever after.
"""
