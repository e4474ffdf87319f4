// Bun with our pipeline in front of the answer: a sliding window for each connection, the size, JSON, a strict
// union by Zod, a sliding window for each action. It leaves out sessions, caps, heartbeats, metrics and the
// bound on what waits for a slow client.
import { z } from "zod";

const NEVER = 1e12;
const WINDOW_MS = 10_000;
const MAX_MESSAGE_BYTES = 131_072;
const MAX_PARSED_BYTES = 10_000;
const REACTIONS = ["thumbs", "heart", "smile", "surprised", "star"];

const Command = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("SEND_REACTION"), reaction: z.enum(REACTIONS), seq: z.int() }),
  z.strictObject({ type: z.literal("SAY"), text: z.string() }),
  z.strictObject({ type: z.literal("ENTER"), table: z.string() }),
]);

class SlidingWindow {
  start = 0;
  count = 0;
  previous = 0;

  allow(now) {
    let into = now - this.start;
    if (into >= WINDOW_MS) {
      this.previous = into < 2 * WINDOW_MS ? this.count : 0;
      this.count = 0;
      this.start = Math.floor(now / WINDOW_MS) * WINDOW_MS;
      into = now - this.start;
    }
    if (this.count + (1 - into / WINDOW_MS) * this.previous >= NEVER) return false;
    this.count += 1;
    return true;
  }
}

function understood(socket, text) {
  const now = performance.now();
  if (!socket.data.budget.allow(now)) return null;
  const size = Buffer.byteLength(text);
  if (size > MAX_MESSAGE_BYTES || size > MAX_PARSED_BYTES) return null;
  const parsed = Command.safeParse(JSON.parse(text));
  return parsed.success && socket.data.actions[parsed.data.type].allow(now) ? parsed.data : null;
}

const server = Bun.serve({
  port: Number(process.argv[2]),
  hostname: "127.0.0.1",
  fetch(request, server) {
    const { pathname } = new URL(request.url);
    const actions = { SEND_REACTION: new SlidingWindow(), SAY: new SlidingWindow(), ENTER: new SlidingWindow() };
    if (server.upgrade(request, { data: { path: pathname, budget: new SlidingWindow(), actions } })) return;
    return new Response("a WebSocket, please", { status: 400 });
  },
  websocket: {
    open(socket) {
      if (socket.data.path.startsWith("/room/")) socket.subscribe(socket.data.path);
    },
    message(socket, text) {
      const command = understood(socket, text);
      if (command === null) socket.send('{"type":"ERROR"}');
      else if (command.type === "SEND_REACTION") {
        socket.send(JSON.stringify({ type: "REACTED", reaction: command.reaction, seq: command.seq }));
      } else if (command.type === "SAY") {
        server.publish(socket.data.path, JSON.stringify({ type: "SAID", text: command.text }));
      }
    },
  },
});
