/** The client in a page: waking, ending, storage that throws (spec 4.2; failures D03, D04, D06, D07). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Store, steadyClock } from "../../gateway/static/gateway/browser.js";
import { Client } from "../../gateway/static/gateway/client.js";
import { FakeStorage, ForbiddenStorage, Stage, joined } from "./stage.mjs";

describe("the page's life", () => {
  test("a phone that wakes with a dead socket that says OPEN replaces it at once (D03)", async () => {
    const stage = new Stage();
    await stage.play();
    stage.sleep(30_000);
    await stage.page("visibilitychange");
    assert.deepEqual(stage.sockets[0].closedWith, [4000, "Replacing socket"]);
    assert.deepEqual([stage.sockets.length, stage.live, stage.socket.claim], [2, 1, "secret"]);
  });

  test("a tab that was hidden for a moment keeps its socket", async () => {
    const stage = new Stage();
    await stage.play();
    stage.sleep(10_999);
    await stage.page("visibilitychange");
    await stage.page("online");
    assert.equal(stage.sockets.length, 1);
  });

  test("becoming hidden is no reason for anything", async () => {
    const stage = new Stage();
    await stage.play();
    stage.sleep(30_000);
    stage.document.visibilityState = "hidden";
    await stage.page("visibilitychange");
    assert.equal(stage.sockets.length, 1);
  });

  test("the back button restores the page and the client connects; a first load does not (D04)", async () => {
    const stage = new Stage();
    await stage.play();
    stage.sleep(30_000);
    await stage.page("pageshow", { persisted: false });
    assert.equal(stage.sockets.length, 1);
    await stage.page("pageshow", { persisted: true });
    assert.equal(stage.sockets.length, 2);
  });

  test("what an abandoned socket still delivers is ignored", async () => {
    const stage = new Stage();
    await stage.play();
    stage.sleep(30_000);
    await stage.page("visibilitychange");
    const before = stage.events.length;
    stage.sockets[0].serve({ type: "KICKED", reason: "" }).drop(4005, "Kicked");
    assert.equal(stage.events.length, before);
    assert.equal(stage.client.seat.seatId, "s1");
  });

  test("online and offline every 300 ms for 10 s never makes two sockets (D06)", async () => {
    const stage = new Stage();
    await stage.play();
    stage.socket.drop();
    for (let i = 0; i < 33; i += 1) {
      await stage.page(i % 2 ? "online" : "offline");
      assert.ok(stage.live <= 1);
      await stage.advance(300);
    }
    stage.socket.accept();
    assert.equal(stage.state, "connected");
  });

  test("the network's loss and return are told", async () => {
    const stage = new Stage();
    await stage.play();
    await stage.page("offline");
    assert.equal(stage.state, "connected", "the socket may be alive all the same");
    stage.socket.drop();
    assert.equal(stage.state, "offline");
    await stage.page("online");
    stage.socket.accept();
    assert.equal(stage.state, "connected");
  });

  test("silence for 11 s ends the socket, and the ordinary series follows", async () => {
    const stage = new Stage();
    await stage.play();
    await stage.advance(11_000);
    assert.deepEqual(stage.socket.closedWith, [4000, "Replacing socket"]);
    await stage.advance(1200);
    assert.equal(stage.live, 1);
  });

  test("frames put the silence off without a new timer for each", async () => {
    const stage = new Stage();
    await stage.play();
    const before = stage.alarms;
    for (let second = 0; second < 40; second += 1) {
      await stage.advance(1000);
      stage.socket.serve({ type: "REACTIONS", batch: [] });
      assert.equal(stage.timers, 1);
    }
    assert.equal(stage.sockets.length, 1);
    assert.ok(stage.alarms - before < 8, `${stage.alarms - before} timers in 40 s`);
  });

  test("a page that opens without a network says so", async () => {
    const stage = new Stage();
    stage.window.navigator.onLine = false;
    stage.preflight = () => Promise.reject(new TypeError("Failed to fetch"));
    (await stage.load()).connect();
    await stage.settle();
    assert.equal(stage.state, "offline");
  });
});

describe("ending", () => {
  test("leave() says goodbye, forgets the seat and its card, and never comes back", async () => {
    const stage = new Stage();
    await stage.play();
    stage.client.leave();
    assert.equal(stage.socket.frames.at(-1), "LEAVE_ROOM");
    assert.deepEqual(stage.socket.closedWith, [1000, "User disconnected"]);
    assert.deepEqual([stage.client.seat, Client.resumeCard(stage.localStorage)], [null, null]);
    await stage.page("online");
    await stage.page("visibilitychange");
    await stage.advance(60_000);
    assert.equal(stage.sockets.length, 1);
    assert.deepEqual(stage.of("closed").at(-1), {
      code: 1000,
      reason: "User disconnected",
      by: "client",
      text: "You left the room. Its code brings you back.",
    });
  });

  test("leave() before connect() forgets another room's seat: nothing is claimed or resumed", async () => {
    const stage = new Stage();
    await stage.play();
    const client = await stage.load();
    client.leave();
    client.connect();
    await stage.settle();
    stage.socket.accept();
    assert.equal(stage.socket.claim, null);
    assert.deepEqual(stage.socket.frames, []);
  });

  test("dispose() closes, stops timer and listeners, and keeps the seat for the next page", async () => {
    const stage = new Stage();
    const client = await stage.play();
    client.dispose();
    assert.deepEqual(stage.socket.closedWith, [1000, "Disposed"]);
    assert.equal(stage.timers, 0);
    await stage.page("online");
    assert.equal(stage.sockets.length, 1);
    assert.throws(() => client.connect(), /disposed/);
    assert.equal((await stage.load()).seat.seatId, "s1");
  });

  test("after leave() nothing rings, and what the closing socket still delivers is not shown", async () => {
    const stage = new Stage();
    await stage.play();
    stage.client.leave();
    const before = stage.events.length;
    stage.socket.serve({ type: "MEMBERS", joined: [], updated: [], left: [] });
    assert.deepEqual([stage.events.length, stage.timers], [before, 0]);
  });

  test("a listener that leaves has the last word", async () => {
    const stage = new Stage();
    await stage.play();
    stage.client.addEventListener("closed", () => stage.client.leave(), { once: true });
    stage.socket.drop();
    assert.equal(stage.state, "closed");
  });

  test("a listener may call back into the client: effects stay in order, one socket stays", async () => {
    const stage = new Stage();
    await stage.play();
    stage.client.addEventListener("closed", () => stage.client.retry(), { once: true });
    stage.client.addEventListener(
      "state",
      ({ detail }) => detail.state === "reconnecting" && stage.client.retry(),
    );
    stage.socket.drop();
    assert.equal(stage.live, 1);
    stage.client.addEventListener("message", () => stage.client.leave());
    stage.socket.accept();
    assert.deepEqual([stage.live, stage.state], [0, "closed"]);
  });
});

describe("storage", () => {
  test("that throws on every touch: joining, playing and reconnecting work from memory (D07)", async () => {
    const stage = new Stage({ sessionStorage: new ForbiddenStorage(), localStorage: new ForbiddenStorage() });
    await stage.play();
    assert.equal(stage.client.seat.seatId, "s1");
    stage.socket.drop();
    await stage.advance(1200);
    assert.equal(stage.socket.claim, "secret");
    assert.equal(Client.resumeCard(stage.localStorage), null);
  });

  test("that is full: what it still holds from before does not come back to life", async () => {
    const stage = new Stage();
    await stage.play();
    stage.sessionStorage.setItem = () => {
      throw new Error("QuotaExceededError");
    };
    stage.socket.serve(joined({ seatId: "s2", token: "fresh" }));
    stage.socket.drop();
    await stage.advance(1200);
    assert.equal(stage.socket.claim, "fresh");
  });

  test("that stops taking values: the newest is read, not the one it still holds", () => {
    const storage = new FakeStorage();
    const store = new Store(() => storage);
    store.write("key", { value: "old" });
    storage.setItem = storage.removeItem = () => {
      throw new Error("QuotaExceededError");
    };
    store.write("key", { value: "new" });
    assert.deepEqual(store.read("key"), { value: "new" });
    store.write("key", null);
    assert.equal(store.read("key"), null);
  });

  test("that the browser does not have at all", async () => {
    const stage = new Stage();
    delete stage.options.sessionStorage;
    delete stage.options.localStorage;
    await stage.play();
    assert.equal(stage.client.seat.seatId, "s1");
  });

  test("full of other people's data is as good as empty", async () => {
    const sessionStorage = new FakeStorage();
    const localStorage = new FakeStorage();
    for (const text of ["{", "7", "[]", '{"seatId": 4}', '"x"']) {
      sessionStorage.setItem("halyard.seat", text);
      sessionStorage.setItem("halyard.client", '{"a": 1}');
      localStorage.setItem("halyard.card", text);
      const stage = new Stage({ sessionStorage, localStorage });
      (await stage.load()).connect();
      await stage.settle();
      assert.match(stage.socket.url.searchParams.get("clientId"), /^[0-9a-f]{32}$/);
      assert.deepEqual([stage.client.seat, Client.resumeCard(localStorage)], [null, null]);
    }
  });

  test("the token is in this tab's storage only", async () => {
    const stage = new Stage();
    await stage.play();
    assert.ok([...stage.sessionStorage.kept.values()].join().includes("secret"));
    assert.ok(![...stage.localStorage.kept.values()].join().includes("secret"));
  });
});

test("the clock counts the sleep that the monotonic one missed, and no small drift", () => {
  let [tick, wall] = [0, 1_000_000];
  const clock = steadyClock(
    () => tick,
    () => wall,
  );
  const pass = (ticked, passed) => {
    tick += ticked;
    wall += passed;
    return clock();
  };
  assert.equal(pass(100, 101), 100);
  assert.equal(pass(50, 60_050), 60_150, "asleep for a minute");
  assert.equal(pass(10, -3_600_000), 60_160, "set back an hour");
});
