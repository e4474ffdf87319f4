// Bun: its own server, an echo and its own publish. It leaves out sessions, budgets, schema and caps.
import { Quiz } from "./quiz.js";

const quizzes = new Map();

const server = Bun.serve({
  port: Number(process.argv[2]),
  hostname: "127.0.0.1",
  fetch(request, server) {
    const { pathname } = new URL(request.url);
    if (server.upgrade(request, { data: { path: pathname } })) return;
    return new Response("a WebSocket, please", { status: 400 });
  },
  websocket: {
    open(socket) {
      const { path } = socket.data;
      if (path === "/echo") return;
      socket.subscribe(path);
      if (!path.startsWith("/game/")) return;
      if (!quizzes.has(path)) {
        const toAll = (event) => server.publish(path, JSON.stringify(event));
        quizzes.set(path, new Quiz(toAll, (player, event) => player.send(JSON.stringify(event))));
      }
      quizzes.get(path).players.set(socket, 0);
    },
    message(socket, text) {
      const { path } = socket.data;
      const message = JSON.parse(text);
      if (path === "/echo") socket.send(JSON.stringify(message));
      else if (path.startsWith("/game/")) quizzes.get(path).hear(socket, message);
      else server.publish(path, JSON.stringify(message));
    },
  },
});
