// Node's ws: an echo, and a loop over a room's members. It leaves out sessions, budgets, schema and caps.
import { WebSocketServer } from "ws";
import { Quiz } from "./quiz.js";

const rooms = new Map();
const quizzes = new Map();

function enter(path, socket) {
  if (!rooms.has(path)) rooms.set(path, new Set());
  const room = rooms.get(path);
  room.add(socket);
  socket.on("close", () => room.delete(socket));
  return room;
}

function quiz(path, room) {
  if (!quizzes.has(path)) {
    const toAll = (event) => toEach(room, JSON.stringify(event));
    quizzes.set(path, new Quiz(toAll, (player, event) => player.send(JSON.stringify(event))));
  }
  return quizzes.get(path);
}

function toEach(room, text) {
  for (const member of room) member.send(text);
}

const server = new WebSocketServer({ port: Number(process.argv[2]), host: "127.0.0.1" });
server.on("connection", (socket, request) => {
  const path = request.url;
  if (path === "/echo") {
    socket.on("message", (data) => socket.send(JSON.stringify(JSON.parse(data))));
    return;
  }
  const room = enter(path, socket);
  if (path.startsWith("/game/")) {
    const game = quiz(path, room);
    game.players.set(socket, 0);
    socket.on("message", (data) => game.hear(socket, JSON.parse(data)));
  } else {
    socket.on("message", (data) => toEach(room, JSON.stringify(JSON.parse(data))));
  }
});
