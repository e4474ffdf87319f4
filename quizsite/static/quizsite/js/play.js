/* The player's and the host's page: a name and a face, the lobby, the game, the podium. Who decides what: store.js what
   is known, select.js which screen, the screens how it looks, stage.js draws; this file says what a player may ask. */
import { Client } from "../../gateway/client.js";
import { barOf } from "./bar.js";
import { lobbyScreen } from "./lobby.js";
import { messageScreen, needsReload } from "./message.js";
import { podiumScreen } from "./podium.js";
import { questionScreen } from "./question.js";
import { resultsScreen } from "./results.js";
import { seatScreen } from "./seat.js";
import { ending, locked, screenOf } from "./select.js";
import { Stage } from "./stage.js";
import { startingScreen } from "./starting.js";
import { choose, pardon, start } from "./store.js";
import { t } from "./text.js";
import { ownVerdict } from "./verdict.js";

const SCREENS = {
  join: seatScreen,
  host: seatScreen,
  lobby: lobbyScreen,
  starting: startingScreen,
  question: questionScreen,
  results: (given) => resultsScreen(given, ownVerdict),
  podium: podiumScreen,
  message: messageScreen,
};
const ENTRIES = new Set(["JOIN_ROOM", "CREATE_ROOM"]);
/** Where "the card" on the landing page leads to: straight back to the seat, no form. */
const CONTINUE = "#continue";

const ACTS = {
  join: (me) => enter(() => client.joinRoom({ roomCode: page.code, ...me })),
  create: (me) => enter(() => client.createRoom(me)),
  continue: () => enter(() => client.joinRoom({ ...card, roomCode: page.code })),
  takeover: () => enter(() => client.joinRoom({ ...(card ?? client.seat), roomCode: page.code, takeOver: true })),
  settings: (settings) => client.send({ type: "UPDATE_ROOM_SETTINGS", settings }),
  kick: (userId) => client.send({ type: "KICK_USER", userId, ban: true }),
  unban(_, { userId }) {
    client.send({ type: "UNBAN_USER", userId });
    stage.view = pardon(stage.view, userId);
  },
  react: (_, { reaction }) => client.send({ type: "SEND_REACTION", reaction }),
  answer(choices) {
    if (locked(stage.view)) return;
    stage.view = choose(stage.view, choices);
    sendAnswer(choices);
    stage.announce(t("locked"));
  },
  copy: () => stage.screen.copy(stage.view),
  retry: () => (needsReload(stage.conn) ? location.reload() : client.retry()),
  leave() {
    stage.leaving = true;
    client.leave();
    location.assign(page.urls.landing);
  },
};

const bar = barOf(document.getElementById("play"));
const stage = new Stage({ screens: SCREENS, bar, look, heard, acts: ACTS });
const { client, page } = stage;
const card = cardOf(page.code);
let busy = false; // a place was asked for and not answered yet
let returning = client.seat !== null && client.seat.roomCode === page.code; // this tab has a seat in this room

function look() {
  const { view, conn } = stage;
  const { mode, code, faces } = page;
  const over = ending(view, conn) ?? { kind: "returning" };
  const given = { mode, code, card, known: card ?? client.seat, faceIds: Object.keys(faces) };
  return { name: screenOf(view, conn, mode, returning), over, busy, given };
}

function heard(frame) {
  if (frame.type === "ROOM_JOINED" || frame.type === "ROOM_STATE") entered();
  if (frame.type === "ERROR" && (busy || ENTRIES.has(frame.details?.action))) denied(frame.code);
}

function entered() {
  busy = returning = false;
  page.mode = "join"; // a host's page is from now on the page of its room
  page.code = stage.view.room.code;
  const address = page.urls.play.replace("CODE", page.code);
  if (location.pathname !== address) history.replaceState(null, "", address);
  // The answer may have been lost with its socket; the server takes one per question, so twice is safe.
  if (stage.view.pending) sendAnswer(stage.view.pending);
}

/** No place: told beside the form, to one who came back as a message, an unknown code beside the code field. */
function denied(code) {
  const { view } = stage;
  const had = returning || view.room !== null;
  busy = returning = false;
  if (code !== "ROOM_NOT_FOUND") stage.view = { ...start(), error: view.error };
  else if (had) stage.view = { ...view, ended: { kind: "room-closed", reason: "gone" } };
  else location.replace(`${page.urls.landing}?unknown=${encodeURIComponent(page.code)}`);
}

function enter(ask) {
  busy = true;
  ask();
}

function sendAnswer(choices) {
  client.send({ type: "SUBMIT_ANSWER", questionId: stage.view.question.questionId, choices });
}

/** The seat this browser had in this room, if another tab of it (now gone) had one. */
function cardOf(code) {
  const last = client.seat ? null : Client.resumeCard();
  return last?.roomCode === code ? last : null;
}

if (location.hash === CONTINUE && card) {
  history.replaceState(null, "", location.pathname);
  returning = true;
  ACTS.continue();
} else if (!client.seat || returning) client.connect();
// else: this tab still holds a seat in another room, which stays its own until the person asks for a place here
stage.redraw();
