/** Numbers and states as people read them. Pure. */

/** 29600 → 00:29.60 */
export function clockText(ms) {
  const hundredths = Math.floor(ms / 10);
  const two = (value) => String(value).padStart(2, "0");
  const seconds = Math.floor(hundredths / 100);
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}.${two(hundredths % 100)}`;
}

/** Milliseconds that are left, never negative, in seconds with one decimal. */
export const leftText = (until, now) => `${(Math.max(0, until - now) / 1000).toFixed(1)} s`;

export function bytesText(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes >= 1_048_576) return `${(bytes / 1_048_576).toFixed(2)} MiB`;
  return `${(bytes / 1024).toFixed(bytes < 10_240 ? 1 : 0)} KiB`;
}

const SEATS = { none: "No seat", connected: "Connected", removed: "Removed" };
export const seatText = (player, now) =>
  (player.seat === "grace" ? `In grace ${leftText(player.until, now)}` : SEATS[player.seat]);

const SOCKETS = { none: "no socket", open: "open", silent: "open, silent", stalled: "open, not read" };
/** The server's socket; what the player's page is doing and what a limiter threw away, where that is news. */
export function socketText({ socket, code, client, dropped }) {
  return [
    socket === "closed" ? `closed ${code}` : SOCKETS[socket],
    client !== "open" && client,
    dropped > 0 && `${dropped} dropped`,
  ].filter(Boolean).join(" · ");
}

/** "Ana, Ben and Chen" */
export function listText(names, link = "and") {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${link} ${names.at(-1)}`;
}

/** The two lines beside the phases: what ends the phase, and what is worth knowing about it. */
export function waitText({ phase, until, waitsFor, players }, now) {
  const left = until === null ? "" : leftText(until, now);
  const held = players.filter(({ name, seat }) => seat === "grace" && waitsFor.includes(name));
  switch (phase) {
    case "lobby":
      return ["Waits for the host to start the game.", "No grace here: who drops loses the seat at once."];
    case "starting": return [`The first question comes in ${left}.`, ""];
    case "question":
      return [
        waitsFor.length > 0
          ? `Ends in ${left}, or when ${listText(waitsFor)} ${waitsFor.length > 1 ? "have" : "has"} answered.`
          : `Ends in ${left}.`,
        held.length > 0 ? `${listText(held.map(({ name }) => name))} in grace: still expected.` : "",
      ];
    case "results": return [until === null ? "Waits for the host." : `Goes on in ${left}.`, ""];
    case "finished": return ["The game is over.", "No grace from here on."];
    default: return ["There is no room any more.", ""];
  }
}
