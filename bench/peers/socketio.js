// Socket.IO on Node: events that come back, rooms of its own. It leaves out sessions, budgets and schema; it
// has heartbeats of its own (every 25 s).
import { Server } from "socket.io";

const io = new Server(Number(process.argv[2]), { transports: ["websocket"] });
io.on("connection", (socket) => {
  socket.on("echo", (data) => socket.emit("echo", data));
  socket.on("join", (room) => {
    socket.join(room);
    socket.emit("joined", room);
  });
  socket.on("say", (data) => io.to(data.room).emit("said", data));
});
