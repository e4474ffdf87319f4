// The game of the JavaScript peers, the same as in quiz.py; `toAll` and `toOne` are the server's ways out.
const CHOICES = [0, 1, 2, 3].map((number) => ({ id: `c${number}`, text: `Country number ${number}` }));
const TOP = 10;

export class Quiz {
  players = new Map(); // player -> score
  answers = new Map();
  number = 0;

  constructor(toAll, toOne) {
    this.toAll = toAll;
    this.toOne = toOne;
  }

  hear(player, message) {
    if (message.type === "NEXT_QUESTION") this.ask();
    else this.accept(player, message);
  }

  ask() {
    this.number += 1;
    this.answers.clear();
    const prompt = "Which country's flag is this?";
    this.toAll({ type: "NEW_QUESTION", questionId: `q${this.number}`, index: this.number, prompt, choices: CHOICES });
  }

  accept(player, { questionId, choices }) {
    this.answers.set(player, choices);
    this.players.set(player, this.players.get(player) + (choices[0] === "c0" ? 500 : 0));
    this.toOne(player, { type: "ANSWER_ACCEPTED", questionId });
    if (this.answers.size === this.players.size) this.results(questionId);
  }

  results(questionId) {
    const ranked = [...this.players].sort(([, a], [, b]) => b - a);
    const leaderboard = ranked.slice(0, TOP).map(([, score], index) => (
      { userId: `u${index}`, name: `Player ${index}`, score, rank: index + 1 }));
    const counts = {};
    for (const [choice] of this.answers.values()) counts[choice] = (counts[choice] ?? 0) + 1;
    this.toAll({ type: "QUESTION_RESULTS", questionId, correct: ["c0"], counts, leaderboard });
    ranked.forEach(([player, total], index) => {
      const correct = this.answers.get(player)[0] === "c0";
      this.toOne(player, { type: "YOUR_RESULT", questionId, correct, total, rank: index + 1 });
    });
  }
}
