/** Types of client.js (spec 4.2). Made by `manage.py protocol_docs`: edit client.js or the server's types. */

import type { Avatar, Command, Event as ServerEvent, Heartbeat, SettingsPatch } from "./protocol.js";

export type RefusalCode =
  | "invalid_origin"
  | "unavailable"
  | "blocked_ip"
  | "missing_session"
  | "session_connection_cap"
  | "ip_connection_cap"
  | "arcjet_denied"
  | "forbidden";

export type Ender =
  | "server"
  | "client"
  | "network";

export type ConnectionState =
  /** connect() was not called yet */
  | "idle"
  /** the first try of a series that a person started */
  | "connecting"
  | "connected"
  /** a lost connection is being replaced: a try, or the pause before it */
  | "reconnecting"
  /** a pause the server asked for; `retryInMs` says how long */
  | "waiting"
  /** the browser reports no network; it reconnects by itself */
  | "offline"
  /** this seat or tab is live elsewhere; only retry() comes back */
  | "replaced"
  /** the server refuses, and waiting does not help */
  | "refused"
  /** ended for good, or lost while no room was held */
  | "closed"
  /** the series is over; retry(), a waking page or the network's return starts another */
  | "gave-up";

export interface StateDetail {
  state: ConnectionState;
  /** The try being made or waited for; 0 while there is none. */
  attempt: number;
  /** 6; 1 after a 1008; 50 while the server restarts. */
  of: number;
  /** Present while a try is waited for. */
  retryInMs?: number;
  /** What brought the state about: a close code or a refusal's code. */
  code?: number | RefusalCode | (string & {});
  /** English; pages translate by `code`, or by `state` where there is none. */
  text?: string;
}

export interface RefusedDetail {
  code: RefusalCode | (string & {});
  text: string;
  /** False while the client goes on by itself (waits, or joins again). */
  terminal: boolean;
  retryAfterMs?: number;
}

export interface ClosedDetail {
  code: number;
  reason: string;
  text: string;
  by: Ender;
}

export interface LatencyDetail {
  /** Last measured round trip plus how late the newest heartbeat came. For display only. */
  ms: number;
}

/** Every server frame except HEARTBEAT, which the client answers itself. Narrow it by `type`. */
export type ServerFrame = Exclude<ServerEvent, Heartbeat>;

export type ClientFrame = Command;

export interface Seat {
  roomId: string;
  seatId: string;
  roomCode: string;
  name: string;
  avatar?: Avatar;
}

export type ResumeCard = Omit<Seat, "roomId">;

export interface CreateEntry {
  name: string;
  avatar?: Avatar;
  settings?: SettingsPatch;
}

export interface JoinEntry {
  roomCode: string;
  name: string;
  avatar?: Avatar;
  /** Go back to this seat of the same account, as a resume card names it. */
  seatId?: string;
  /** Only from a button: takes the seat from where it is live now. */
  takeOver?: boolean;
}

export interface WatchEntry {
  roomCode: string;
}

export interface ClientOptions {
  /** Default "/ws"; relative to the page. */
  url?: string;
  /** Default "/api/ws/preflight". */
  preflightUrl?: string;
  /** Stand-ins for the browser's own, for tests. */
  WebSocket?: typeof WebSocket;
  fetch?: typeof fetch;
  /** Milliseconds on a clock that never goes back. */
  now?: () => number;
  setTimeout?: (fn: () => void, ms: number) => unknown;
  clearTimeout?: (timer: unknown) => void;
  /** In [0, 1). */
  random?: () => number;
  sessionStorage?: Storage;
  localStorage?: Storage;
  window?: EventTarget & { navigator?: { onLine: boolean } };
  document?: EventTarget & { visibilityState: string };
  location?: { href: string };
}

export interface ClientEvents {
  state: CustomEvent<StateDetail>;
  message: CustomEvent<ServerFrame>;
  latency: CustomEvent<LatencyDetail>;
  refused: CustomEvent<RefusedDetail>;
  closed: CustomEvent<ClosedDetail>;
}

export class Client extends EventTarget {
  constructor(options?: ClientOptions);

  /** The last seat of this browser, for a "continue as" card; it holds no token. */
  static resumeCard(storage?: Storage): ResumeCard | null;

  /**
   * The seat this tab has or is coming back to, also before connect(): a page for another room calls leave() first.
   * After a refused rejoin (ALREADY_IN_ROOM) it stays, for a button that calls joinRoom with takeOver.
   */
  readonly seat: Seat | null;

  /** Preflight first, then the socket. Comes back to this tab's seat by itself, if it has one. */
  connect(): void;

  /** For a button. In a tab that was replaced it means "play here instead" and may take the seat over. */
  retry(): void;

  /** True if handed to an open socket. Never queued: an old answer must not land on a new question. */
  send(frame: ClientFrame): boolean;

  /** Connects if need be and is asked again until answered; true if sent at once. So are the next two. */
  createRoom(entry: CreateEntry): boolean;

  /** Back to `seatId` (of a resume card), else to this tab's own seat in that room, else to a new one. */
  joinRoom(entry: JoinEntry): boolean;

  /** The big screen: follows the room without a seat, again after each reconnect. */
  watchRoom(entry: WatchEntry): boolean;

  /** LEAVE_ROOM, then close 1000; the seat and its card are forgotten. */
  leave(): void;

  /** Close 1000 and stop listening to the page; the client cannot be used again. */
  dispose(): void;

  addEventListener<K extends keyof ClientEvents>(
    type: K,
    listener: (event: ClientEvents[K]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<K extends keyof ClientEvents>(
    type: K,
    listener: (event: ClientEvents[K]) => void,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | EventListenerOptions,
  ): void;
}
