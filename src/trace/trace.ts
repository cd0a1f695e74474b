/** A session of a trace. Times are in milliseconds. */
export interface TracedSession {
  /** Start, since the first request of the trace. */
  atMs: number;
  /** At least one. */
  turns: readonly TracedTurn[];
}

/** A request of a trace. */
export interface TracedTurn {
  /** Time since the first turn of its session. */
  afterMs: number;
  /** `null`: not in the trace. */
  inputTokens: number | null;
  outputTokens: number | null;
  /** Duration of its reply; `null`: not in the trace. */
  replyMs: number | null;
  /** Wait between the previous reply and this turn, if the trace contains it instead of a time; otherwise `null`. */
  waitMs: number | null;
}

/** Start and length of a session, without its turns. */
export interface TracedStart {
  atMs: number;
  /** `afterMs` of its last turn. */
  lengthMs: number;
  turns: number;
}

/** Random access to the sessions of a trace, sorted by `atMs`, in constant memory whatever its size. */
export interface TraceSource {
  readonly count: number;
  /** `atMs` of the last session. */
  readonly lengthMs: number;
  /** Time of the last turn, since the first. */
  readonly endMs: number;
  /** SHA-256 of the file. */
  readonly digest: string;
  /** Returns session `index`, from 0. */
  at(index: number): TracedSession;
  /** Returns only the start of session `index`, which is cheaper. */
  startAt(index: number): TracedStart;
}

/** A trace file that was read once, with facts about it. */
export interface OpenedTrace extends TraceSource {
  /** Path as given. */
  readonly file: string;
  readonly facts: TraceFacts;
}

/** Facts found in a trace file when it was read. */
export interface TraceFacts {
  form: TraceFormName;
  /** Description of the time format: `seconds`. */
  times: string;
  /** Number of requests: the turns of all sessions. */
  requests: number;
  /** Malformed lines: their number, and the first of them. */
  malformed: FoundLines;
  /** Reason for a unit of times that may be wrong. */
  unitDoubt?: string;
  /** Lines that contradict themselves, but were read. */
  doubtful: FoundLines;
  /** Sessions of several turns by their input tokens. */
  inputs: TraceInputs;
}

/** Lines of a trace: their number, and the first of them. */
export interface FoundLines {
  count: number;
  first: readonly { line: number; why: string }[];
}

/** Sessions of several turns, by whether their input tokens may include the previous turns. */
export interface TraceInputs {
  whole: number;
  fresh: number;
}

/** Content of the input tokens of later turns: the whole conversation so far, or the message alone. */
export const traceInputs = ['whole', 'fresh'] as const;
export type TraceInput = (typeof traceInputs)[number];

export const traceFormNames = ['mooncake', 'burstgpt', 'azure', 'opentelemetry', 'access-log', 'csv', 'jsonl'] as const;
export type TraceFormName = (typeof traceFormNames)[number];

/** A request on a line of a trace. */
export interface TraceRow {
  /** Time by the trace's clock; `null`: the line contains a wait instead. */
  atMs: number | null;
  /** `null`: the request is a session of one turn. */
  session: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  replyMs: number | null;
  waitMs: number | null;
  /** Contradiction between its fields. */
  doubt?: string | undefined;
}

export const traceUnits = ['s', 'ms', 'us', 'ns'] as const;
export type TraceUnit = (typeof traceUnits)[number];

/** Column mapping of a trace. Each column overrides the column of the recognized form. */
export interface TraceColumns {
  /** Required if the form is not recognized. */
  at?: string | undefined;
  session?: string | undefined;
  inputTokens?: string | undefined;
  outputTokens?: string | undefined;
  /** Unit of numeric times; detected by default. */
  unit?: TraceUnit | undefined;
  /** Content of input tokens; detected by default. */
  input?: TraceInput | undefined;
}

/** Reading options of a trace file. */
export interface TraceReading {
  columns?: TraceColumns | undefined;
  /** Sorts lines by time. Otherwise, lines out of order are an error. */
  sort?: boolean | undefined;
}
