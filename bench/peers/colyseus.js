// Colyseus on its ws transport: messages that come back, a broadcast to a room. Its frames are MessagePack and
// not JSON. It leaves out sessions, budgets and schema; the room's synchronised state is not used.
import { Room, Server } from "@colyseus/core";
import { WebSocketTransport } from "@colyseus/ws-transport";

class Table extends Room {
  maxClients = 100;
  patchRate = null;

  onCreate() {
    this.onMessage("echo", (client, data) => client.send("echo", data));
    this.onMessage("say", (client, data) => this.broadcast("said", data));
  }
}

const server = new Server({ greet: false, transport: new WebSocketTransport() });
server.define("table", Table).filterBy(["table"]);
await server.listen(Number(process.argv[2]), "127.0.0.1");
