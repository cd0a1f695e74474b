/** A session of a trace. Times are in milliseconds. */
export interface TracedSession {
  /** Since the first request of the trace. */
  atMs: number;
  /** At least one. */
  turns: readonly TracedTurn[];
}

/** A request of a trace. */
export interface TracedTurn {
  /** Since the first turn of its session. */
  afterMs: number;
  /** `null`: the trace does not say. */
  inputTokens: number | null;
  outputTokens: number | null;
  /** How long its reply took; `null`: the trace does not say. */
  replyMs: number | null;
  /** The wait between the reply before and this turn, where the trace says that and not when the turn came; else `null`. */
  waitMs: number | null;
}

/** When a session starts and how long it is, without its turns. */
export interface TracedStart {
  atMs: number;
  /** `afterMs` of its last turn. */
  lengthMs: number;
  turns: number;
}

/** The sessions of a trace by rising `atMs`: any of them at once, in constant memory, whatever the size of the file. */
export interface TraceSource {
  readonly count: number;
  /** `atMs` of the last session. */
  readonly lengthMs: number;
  /** When the last turn of all came, since the first. */
  readonly endMs: number;
  /** SHA-256 of the file. */
  readonly digest: string;
  /** Session `index`, from 0. */
  at(index: number): TracedSession;
  /** Its start alone, which is cheaper. */
  startAt(index: number): TracedStart;
}

/** A trace file that was read once: its sessions, and what was found in it. */
export interface OpenedTrace extends TraceSource {
  /** As it was given. */
  readonly file: string;
  readonly facts: TraceFacts;
}

/** What was found in a trace file when it was read. */
export interface TraceFacts {
  form: TraceFormName;
  /** How its times were read, in words: `seconds`. */
  times: string;
  /** Requests: turns of all sessions. */
  requests: number;
  /** Lines that could not be read: how many, and the first of them. */
  malformed: { count: number; first: readonly { line: number; why: string }[] };
}

export const traceFormNames = ['mooncake', 'burstgpt', 'azure', 'opentelemetry', 'access-log', 'csv', 'jsonl'] as const;
export type TraceFormName = (typeof traceFormNames)[number];

/** A request as a line of a trace says it. */
export interface TraceRow {
  /** By a clock of the trace; `null`: the line says a wait instead. */
  atMs: number | null;
  /** `null`: a session of its own. */
  session: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  replyMs: number | null;
  waitMs: number | null;
}

export const traceUnits = ['s', 'ms', 'us', 'ns'] as const;
export type TraceUnit = (typeof traceUnits)[number];

/** Which fields of a trace say what. Of a form that is recognized, each takes the place of its own. */
export interface TraceColumns {
  /** Required where the form is not recognized. */
  at?: string | undefined;
  session?: string | undefined;
  inputTokens?: string | undefined;
  outputTokens?: string | undefined;
  /** Of times that are numbers; without it, it is told from the first of them. */
  unit?: TraceUnit | undefined;
}

/** How a trace file is to be read. */
export interface TraceReading {
  columns?: TraceColumns | undefined;
  /** Sorts lines that are out of order in time, which are refused otherwise. */
  sort?: boolean | undefined;
}
