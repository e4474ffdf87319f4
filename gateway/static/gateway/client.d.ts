/** Types of client.js, version 1 (spec 3, 4.2). Frames are open-ended here; a page narrows them by `type`. */

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

export type RefusalCode =
  | "invalid_origin"
  | "unavailable"
  | "blocked_ip"
  | "missing_session"
  | "session_connection_cap"
  | "ip_connection_cap"
  | "arcjet_denied"
  | "forbidden";

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
  by: "server" | "client" | "network";
}

export interface LatencyDetail {
  /** Last measured round trip plus how late the newest heartbeat came. For display only. */
  ms: number;
}

export interface Avatar {
  id: string;
  colour: number;
}

export interface Seat {
  roomId: string;
  seatId: string;
  roomCode: string;
  name: string;
  avatar?: Avatar;
}

export type ResumeCard = Omit<Seat, "roomId">;

export interface ServerFrame {
  type: string;
  [field: string]: unknown;
}

export interface ClientFrame {
  type: string;
  [field: string]: unknown;
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
  /** Every server frame except HEARTBEAT, which the client answers itself. */
  message: CustomEvent<ServerFrame>;
  latency: CustomEvent<LatencyDetail>;
  refused: CustomEvent<RefusedDetail>;
  closed: CustomEvent<ClosedDetail>;
}

export class Client extends EventTarget {
  constructor(options?: ClientOptions);

  /** The last seat of this browser, for a "continue as" card; no token. */
  static resumeCard(storage?: Storage): ResumeCard | null;

  /**
   * The seat this tab has or is coming back to, also before connect(): a page for another room calls leave()
   * first. After a refused rejoin (ALREADY_IN_ROOM) it stays, for a button that calls joinRoom with takeOver.
   */
  readonly seat: Seat | null;

  /** Preflight first, then the socket. Comes back to this tab's seat by itself, if it has one. */
  connect(): void;

  /** For a button. In a tab that was replaced it means "play here instead" and may take the seat over. */
  retry(): void;

  /** True if handed to an open socket; false frames are gone, never sent after a reconnect. */
  send(frame: ClientFrame): boolean;

  /** These three connect if need be and are asked again until answered. True if sent at once. */
  createRoom(entry: { name: string; avatar?: Avatar; settings?: object }): boolean;
  joinRoom(entry: {
    roomCode: string;
    name: string;
    avatar?: Avatar;
    /** Go back to this seat of the same account, as a resume card names it. */
    seatId?: string;
    /** Only from a button: takes the seat from where it is live now. */
    takeOver?: boolean;
  }): boolean;
  watchRoom(entry: { roomCode: string }): boolean;

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
