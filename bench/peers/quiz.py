"""The game of the Python peers: one question at a time, results when everybody has answered.

The frames have the size and the order of ours. It leaves out the clock, late joiners, the roster, streaks,
progress, reconnecting and every check of what a client sends.
"""

from collections import defaultdict

CHOICES = [{"id": f"c{number}", "text": f"Country number {number}"} for number in range(4)]
TOP = 10


class Quiz:
    def __init__(self):
        self.players = []
        self.answers = {}
        self.scores = defaultdict(int)
        self.number = 0

    def ask(self):
        self.number += 1
        self.answers = {}
        return {
            "type": "NEW_QUESTION",
            "questionId": f"q{self.number}",
            "index": self.number,
            "prompt": "Which country's flag is this?",
            "choices": CHOICES,
        }

    def accept(self, player, answer):
        self.answers[player] = answer["choices"]
        self.scores[player] += 500 * (answer["choices"] == ["c0"])
        last = len(self.answers) == len(self.players)
        return {"type": "ANSWER_ACCEPTED", "questionId": answer["questionId"]}, last

    def results(self):
        self.ranked = sorted(self.players, key=lambda player: -self.scores[player])
        self.ranks = {player: rank for rank, player in enumerate(self.ranked, 1)}
        board = [
            {"userId": str(player), "name": f"Player {rank}", "score": self.scores[player], "rank": rank}
            for rank, player in enumerate(self.ranked[:TOP], 1)
        ]
        counts = defaultdict(int)
        for choices in self.answers.values():
            counts[choices[0]] += 1
        return {
            "type": "QUESTION_RESULTS",
            "questionId": f"q{self.number}",
            "correct": ["c0"],
            "counts": dict(counts),
            "leaderboard": board,
        }

    def result_of(self, player):
        return {
            "type": "YOUR_RESULT",
            "questionId": f"q{self.number}",
            "correct": self.answers[player] == ["c0"],
            "total": self.scores[player],
            "rank": self.ranks[player],
        }


_quizzes = defaultdict(Quiz)


def quiz_of(room):
    """Of one run: the game of a room begins anew when it has no players."""
    return _quizzes[room]
