"""What this machine lacks, said so that the reader can mend it."""


class Missing(Exception):
    """One plain sentence and, where there is one, the command that mends it."""

    def __init__(self, sentence: str, command: str = "") -> None:
        super().__init__(f"{sentence}: {command}" if command else sentence)
