/** Halyard quiz protocol. Made by `manage.py protocol_docs`: edit the types on the server. */

export interface AnswerAccepted {
  type: "ANSWER_ACCEPTED";
  questionId: string;
}

export interface AnswerProgress {
  type: "ANSWER_PROGRESS";
  answered: number;
  expected: number;
}

/** A face and the colour of its disc. */
export interface Avatar {
  id?: "bear" | "cat" | "chick" | "fox" | "frog" | "octopus" | "owl" | "panda" | "penguin" | "rabbit" | "turtle" | "whale";
  colour?: number;
}

/** Somebody who may not come back; `UNBAN_USER` with this id frees the whole account. */
export interface Banned {
  userId: string;
  name: string;
  avatar: Avatar;
}

/**
 * For the host alone: all who may not come back, each account once.
 *
 * Nobody after `ROOM_JOINED`, `ROOM_STATE` and `HOST_CHANGED`, until it comes.
 */
export interface Bans {
  type: "BANS";
  banned: Banned[];
}

/** Why an answer got its points (spec 2.4). */
export interface Breakdown {
  base: number;
  streak: number;
  lagCreditMs: number;
  responseMs: number;
}

/**
 * One option. `id` is random per question, so that it carries no hint (spec 2.5).
 *
 * `country` is an ISO 3166-1 alpha-2 code: pages show its name in the player's own language, `text` is
 * the English fallback.
 */
export interface Choice {
  id: string;
  text: string;
  country?: string | null;
}

/** The first frame of every socket. */
export interface Connected {
  type: "CONNECTED";
  connectionId: string;
  userId: string;
  protocolVersion: number;
  heartbeat: HeartbeatTimes;
  limits: Record<string, LimitShown>;
  lastClose?: LastClose | null;
}

export interface CreateRoom {
  type: "CREATE_ROOM";
  name: string;
  avatar?: Avatar | null;
  settings?: SettingsPatch | null;
}

export interface Departure {
  userId: string;
  reason: "kicked" | "left" | "lost";
}

/** Something the client asked for was refused; nothing changed. */
export interface Error {
  type: "ERROR";
  code: string;
  message: string;
  statusCode: number;
  details?: Record<string, unknown> | null;
}

/** Flag questions of a region; `hard` takes the options from the same region (spec 2.5). */
export interface FlagSource {
  kind: "flags";
  region?: "africa" | "americas" | "asia" | "europe" | "oceania" | "world";
  difficulty?: "easy" | "hard" | "medium";
}

export interface GameFinished {
  type: "GAME_FINISHED";
  leaderboard: LeaderboardEntry[];
  gameId: string;
}

export interface GameStarting {
  type: "GAME_STARTING";
  countdownMs: number;
}

export interface GameStopped {
  type: "GAME_STOPPED";
}

/** Server's ping; `timestamp` is to be echoed. */
export interface Heartbeat {
  type: "HEARTBEAT";
  timestamp: number;
}

/** The client's echo of `Heartbeat.timestamp`. */
export interface HeartbeatResponse {
  type: "HEARTBEAT_RESPONSE";
  timestamp: number;
}

export interface HeartbeatTimes {
  intervalMs: number;
  timeoutMs: number;
}

export interface HostChanged {
  type: "HOST_CHANGED";
  userId: string;
}

/** A picture fetched by URL; `alt` must not give the answer away. */
export interface Image {
  kind: "image";
  url: string;
  alt: string;
}

export interface JoinRoom {
  type: "JOIN_ROOM";
  roomCode: string;
  name: string;
  avatar?: Avatar | null;
  resume?: string | null;
  takeOver?: boolean;
}

export interface KickUser {
  type: "KICK_USER";
  userId: string;
  ban?: boolean;
}

export interface Kicked {
  type: "KICKED";
  reason: "banned" | "removed";
}

/**
 * For the host alone: all whose answers take longer to arrive than lag credit makes up for.
 *
 * Nobody after `ROOM_JOINED`, `ROOM_STATE` and `HOST_CHANGED`, until it comes.
 */
export interface Lagging {
  type: "LAGGING";
  userIds: string[];
}

/** How this client's previous socket ended: a slow reader never sees its own close frame (spec 1.7). */
export interface LastClose {
  code: number;
  reason: string;
}

export interface LeaderboardEntry {
  userId: string;
  name: string;
  avatar: Avatar;
  score: number;
  rank: number;
  correct: number;
}

export interface LeaveRoom {
  type: "LEAVE_ROOM";
}

export interface LimitShown {
  limit: number;
  windowMs: number;
}

export interface Member {
  userId: string;
  name: string;
  avatar: Avatar;
  status: "connected" | "grace";
  score: number;
  joinOrder: number;
  isHost: boolean;
  plays: boolean;
}

/** The changed fields of one member; who is host travels in `HOST_CHANGED`, a name never changes. */
export interface MemberPatch {
  userId: string;
  avatar?: Avatar | null;
  status?: "connected" | "grace" | null;
  score?: number | null;
  plays?: boolean | null;
}

/** Changes of the roster since the last such frame; the three lists are always there. */
export interface Members {
  type: "MEMBERS";
  joined?: Member[];
  updated?: MemberPatch[];
  left?: Departure[];
}

export interface NewQuestion {
  type: "NEW_QUESTION";
  questionId: string;
  index: number;
  total: number;
  prompt: string;
  choices: Choice[];
  multiple: boolean;
  durationMs: number;
  remainingMs: number;
  media?: Svg | Image | null;
}

export interface NextQuestion {
  type: "NEXT_QUESTION";
}

export interface OwnAnswer {
  questionId: string;
  choices: string[];
}

/** `next_in_ms` is null when only the host moves on. */
export interface QuestionResults {
  type: "QUESTION_RESULTS";
  questionId: string;
  correct: string[];
  counts: Record<string, number>;
  leaderboard: LeaderboardEntry[];
  nextInMs: number | null;
  explanation?: string | null;
}

/** Told once per episode in token-bucket mode, with the configured values. */
export interface RateLimit {
  type: "RATE_LIMIT";
  limit: number;
  burst: number;
}

export interface ReactionSeen {
  userId: string;
  reaction: "heart" | "smile" | "star" | "surprised" | "thumbs";
}

export interface Reactions {
  type: "REACTIONS";
  batch: ReactionSeen[];
}

export interface RestartGame {
  type: "RESTART_GAME";
}

export interface RoomClosed {
  type: "ROOM_CLOSED";
  reason: "closed" | "empty" | "idle" | "left";
}

export interface RoomJoined {
  type: "ROOM_JOINED";
  seatId: string;
  room: RoomSnapshot;
  you: You;
  reconnectToken?: string | null;
}

export interface RoomSettings {
  type: "ROOM_SETTINGS";
  settings: Settings;
}

/**
 * `next_in_ms` is what is left of the phase that has a clock and is not a question (starting, results).
 *
 * `question`, `results` and `finished` are the events that the phase's members have seen: a reload
 * shows the same screen.
 */
export interface RoomSnapshot {
  roomId: string;
  roomCode: string;
  phase: "finished" | "lobby" | "question" | "results" | "starting";
  settings: Settings;
  members: Member[];
  nextInMs?: number | null;
  question?: NewQuestion | null;
  results?: QuestionResults | null;
  finished?: GameFinished | null;
}

export interface RoomState {
  type: "ROOM_STATE";
  room: RoomSnapshot;
  you?: You | null;
}

export interface SendReaction {
  type: "SEND_REACTION";
  reaction: "heart" | "smile" | "star" | "surprised" | "thumbs";
}

export interface ServerRestarting {
  type: "SERVER_RESTARTING";
  retryAfterMs: number;
}

/** A token signed by the site that says who the client is beyond its session. */
export interface SessionTrustContext {
  type: "SESSION_TRUST_CONTEXT";
  token: string;
}

/** A stored question set, by its public id. */
export interface SetSource {
  kind: "set";
  id: string;
}

/** A room's settings, complete; defaults as in spec 2.1. */
export interface Settings {
  secondsPerQuestion?: number;
  questionCount?: number;
  questionSource?: FlagSource | SetSource;
  maxPlayers?: number;
  allowLateJoin?: boolean;
  locked?: boolean;
  scoring?: "accuracy" | "classic" | "order";
  streakBonus?: boolean;
  hostPlays?: boolean;
  showLeaderboard?: boolean;
  autoAdvance?: boolean;
}

/** A partial update: what is None stays. Ranges are rules (`SETTINGS_INVALID`), not shapes. */
export interface SettingsPatch {
  secondsPerQuestion?: number | null;
  questionCount?: number | null;
  questionSource?: FlagSource | SetSource | null;
  maxPlayers?: number | null;
  allowLateJoin?: boolean | null;
  locked?: boolean | null;
  scoring?: "accuracy" | "classic" | "order" | null;
  streakBonus?: boolean | null;
  hostPlays?: boolean | null;
  showLeaderboard?: boolean | null;
  autoAdvance?: boolean | null;
}

export interface StartGame {
  type: "START_GAME";
}

export interface StopGame {
  type: "STOP_GAME";
}

export interface SubmitAnswer {
  type: "SUBMIT_ANSWER";
  questionId: string;
  choices: string[];
}

/** A drawing sent inside the question itself, at most 8 KiB, without ids or titles (spec 2.5). */
export interface Svg {
  kind: "svg";
  data: string;
}

export interface UnbanUser {
  type: "UNBAN_USER";
  userId: string;
}

export interface UpdateAvatar {
  type: "UPDATE_AVATAR";
  avatar: Avatar;
}

export interface UpdateRoomSettings {
  type: "UPDATE_ROOM_SETTINGS";
  settings: SettingsPatch;
}

export interface WatchRoom {
  type: "WATCH_ROOM";
  roomCode: string;
}

/**
 * What only the receiver may know of itself.
 *
 * `rank` is 0 for one who doesn't play; `waits` is true while a late joiner waits for the next question.
 */
export interface You {
  userId: string;
  isHost: boolean;
  score: number;
  rank: number;
  answered?: OwnAnswer | null;
  waits?: boolean;
}

export interface YourResult {
  type: "YOUR_RESULT";
  questionId: string;
  correct: boolean;
  points: number;
  breakdown: Breakdown;
  total: number;
  rank: number;
  streak: number;
}

export type Command =
  | CreateRoom
  | JoinRoom
  | LeaveRoom
  | StartGame
  | StopGame
  | RestartGame
  | NextQuestion
  | UpdateRoomSettings
  | UpdateAvatar
  | KickUser
  | UnbanUser
  | WatchRoom
  | SubmitAnswer
  | SendReaction
  | HeartbeatResponse
  | SessionTrustContext;

export type Event =
  | Connected
  | Heartbeat
  | Error
  | RateLimit
  | RoomJoined
  | RoomState
  | Members
  | HostChanged
  | Lagging
  | Bans
  | RoomSettings
  | GameStarting
  | NewQuestion
  | AnswerAccepted
  | AnswerProgress
  | QuestionResults
  | YourResult
  | GameFinished
  | GameStopped
  | Reactions
  | Kicked
  | ServerRestarting
  | RoomClosed;
