/* The big screen of a room: it follows without a seat, answers nothing, and moves the quiz on for the host's account.
   What it shows in its own way is in big-*.js; where only the layout differs, the player's screens fill this page's
   templates. */
import { barOf } from "./bar.js";
import { bigLobbyScreen } from "./big-lobby.js";
import { bigQuestionScreen } from "./big-question.js";
import { rightAnswer } from "./big-results.js";
import { errorText } from "./errors.js";
import { messageScreen, needsReload } from "./message.js";
import { podiumScreen } from "./podium.js";
import { resultsScreen } from "./results.js";
import { ending, screenOf } from "./select.js";
import { Stage } from "./stage.js";
import { startingScreen } from "./starting.js";
import { start } from "./store.js";

const SCREENS = {
  lobby: bigLobbyScreen,
  starting: startingScreen,
  question: bigQuestionScreen,
  results: (given) => resultsScreen(given, rightAnswer),
  podium: podiumScreen,
  message: messageScreen,
};
/** What "on" means on a screen; on the others nothing moves by a key. */
const FORWARD = { lobby: "start", results: "next" };
/** Also what a presenter's remote control sends. */
const FORWARD_KEYS = new Set([" ", "PageDown", document.dir === "rtl" ? "ArrowLeft" : "ArrowRight"]);

const ACTS = {
  retry() {
    if (needsReload(stage.conn)) location.reload();
    else if (stage.view.ended) watch();
    else client.retry();
  },
  fullscreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen();
  },
};

const bar = barOf(document.getElementById("present"));
const stage = new Stage({ screens: SCREENS, bar, look, heard, acts: ACTS, key });
const { client, page } = stage;
document.querySelector("[data-act=fullscreen]").hidden = !document.fullscreenEnabled;

function look() {
  const { view, conn } = stage;
  const end = ending(view, conn);
  const over = end ? { ...end, reason: end.reason ?? "watching" } : { kind: "opening" };
  return { name: screenOf(view, conn, "watch", true), over };
}

/** Not let in: the room is no more, or this browser is not its host's. */
function heard({ type, code, details }) {
  if (type !== "ERROR" || details?.action !== "WATCH_ROOM") return;
  const { view } = stage;
  const gone = { kind: "room-closed", reason: "gone" };
  const denied = { kind: "denied", code, text: errorText(view.error) };
  stage.view = { ...view, ended: code === "ROOM_NOT_FOUND" ? gone : denied };
}

function watch() {
  stage.view = start();
  client.watchRoom({ roomCode: page.code });
}

function key(event) {
  const act = FORWARD[stage.name];
  const presses = event.key === " " && event.target.closest?.("button, a, summary"); // does what it says on it
  if (!act || presses || !FORWARD_KEYS.has(event.key)) return;
  event.preventDefault();
  stage.act(act);
}

watch();
stage.redraw();
