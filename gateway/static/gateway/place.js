/**
 * What one tab holds of a room: its seat, the ticket that proves it, and what it asked for without an answer
 * yet. Pure: frames in, frames to send out. client.js stores it, policy.js decides when to connect.
 */

/** Answers after which there is no room to come back to. */
const GONE = new Set(["ROOM_NOT_FOUND", "BANNED"]);
const ENTRIES = new Set(["CREATE_ROOM", "JOIN_ROOM", "WATCH_ROOM"]);

/** A code as the server spells it: people type it in any case. @param {string} code */
export const roomCodeOf = (code) => String(code).trim().toUpperCase();

/** @typedef {{roomId: string, seatId: string, roomCode: string, name: string, avatar?: object}} Seat */

export class Place {
  /** The seat this tab has, or is coming back to. */
  seat = /** @type {Seat | null} */ (null);
  /** The code of the room that the last frame said is no more, else null. */
  gone = /** @type {string | null} */ (null);
  /** The reconnect token; null once it is known to be dead. */
  #token = /** @type {string | null} */ (null);
  /** CREATE_ROOM or JOIN_ROOM until it is answered; WATCH_ROOM for as long as the room is watched. */
  #entry = /** @type {{type: string, roomCode?: string, name?: string, avatar?: object} | null} */ (null);

  /** @param {any} stored what saved() gave @returns {Place} */
  static restore(stored) {
    const place = new Place();
    if (typeof stored?.seatId !== "string" || typeof stored.roomCode !== "string") return place;
    const { token, ...seat } = stored;
    place.seat = seat;
    place.#token = token ?? null;
    return place;
  }

  /** For this tab's storage only: it holds the token. */
  saved() {
    return this.seat && { ...this.seat, token: this.#token };
  }

  /** For the landing page, which any tab may read: no token. */
  card() {
    if (!this.seat) return null;
    const { roomCode, name, avatar, seatId } = this.seat;
    return { roomCode, name, avatar, seatId };
  }

  get wanted() {
    return this.seat !== null || this.#entry !== null;
  }

  /** The claim of the upgrade's query; none while the tab asks for another place than its seat. */
  get ticket() {
    if (!this.seat || !this.#token || (this.#entry && !this.#isOwnRoom(this.#entry))) return null;
    const { roomId, seatId } = this.seat;
    return { roomId, playerSeatId: seatId, reconnectToken: this.#token };
  }

  ask(entry) {
    this.#entry = entry;
  }

  dropTicket() {
    this.#token = null;
  }

  /** No way back: left, kicked, or the room is no more. */
  forget() {
    this.seat = this.#token = this.#entry = null;
  }

  /** The frame that follows CONNECTED: none if the upgrade's claim brought the seat, else the wish for it. */
  greeting(claimed, takeOver) {
    if (claimed && this.ticket) {
      this.#entry = null;
      return null;
    }
    return this.#entry ?? this.#resume(takeOver);
  }

  receive(frame) {
    this.gone = null;
    switch (frame.type) {
      case "ROOM_JOINED": this.#joined(frame); break;
      case "ROOM_STATE": if (frame.you) this.#refresh(frame.room.members); break;
      case "MEMBERS": this.#refresh(frame.updated ?? []); break;
      case "KICKED": case "ROOM_CLOSED": this.forget(); break;
      case "ERROR": if (ENTRIES.has(frame.details?.action)) this.#denied(frame); break;
      default:
    }
  }

  #isOwnRoom(entry) {
    return entry.type === "JOIN_ROOM" && entry.roomCode === this.seat?.roomCode;
  }

  #resume(takeOver) {
    if (!this.seat) return null;
    const { roomCode, name, avatar, seatId } = this.seat;
    return { type: "JOIN_ROOM", roomCode, name, avatar, resume: seatId, ...(takeOver && { takeOver }) };
  }

  #joined({ seatId, reconnectToken, room }) {
    const same = seatId === this.seat?.seatId;
    const { name = "", avatar } = this.#entry ?? this.seat ?? {};
    this.#token = reconnectToken ?? (same ? this.#token : null);
    this.seat = { roomId: room.roomId, seatId, roomCode: room.roomCode, name, avatar };
    this.#entry = null;
    this.#refresh(room.members);
  }

  /** The server may have changed the name ("Ana 2"), the player the avatar. */
  #refresh(members) {
    const { seat } = this;
    const own = seat && members.find((member) => member.userId === seat.seatId);
    if (own) this.seat = { ...seat, name: own.name ?? seat.name, avatar: own.avatar ?? seat.avatar };
  }

  #denied({ code }) {
    const roomCode = this.#entry ? this.#entry.roomCode : this.seat?.roomCode;
    this.#entry = null;
    if (!GONE.has(code)) return;
    this.gone = roomCode ?? null;
    if (roomCode === this.seat?.roomCode) this.forget();
  }
}
