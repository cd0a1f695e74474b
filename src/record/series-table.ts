import { failedAttempts, failedTurns, total, type Counters } from './counters.ts';

/** The number of values of a part of a series must equal a counter: the equation in words, and the counter. */
type Equality = readonly [equation: string, counted: (counters: Counters, load: 'open' | 'closed') => number];

/** A series of durations. */
export interface Series {
  name: string;
  /** As the terminal's table writes it. */
  label: string;
  /** As the meaning of a metric writes it: `p95 of turn latency`. */
  latency: string;
  /** What has a value in it. */
  holds: string;
  from: string;
  to: string;
  /** Whether it is in results. */
  isPublished: boolean;
  /** Whether it is recorded by the position of the turn in its session; the series is their sum. */
  isByPosition: boolean;
  /** Whether it is of the content of replies in pieces: a run without them has no value in it. */
  isOfStreams: boolean;
  /** Whether its percentiles are also published with a failed turn counting as infinitely slow. */
  isAdjusted: boolean;
  /** Part by part what it has to agree with: what ended ok and what failed, or `all` where it is not split. */
  equals: { ok: Equality; failed: Equality } | { all: Equality };
  /** Left out: exported by its own name. */
  exportAs?: SeriesExport;
}

/** How OpenTelemetry's semantic conventions export a series. */
export interface SeriesExport {
  name: string;
  /** Upper bounds of its buckets for scraping, in seconds. */
  boundaries: readonly number[];
  /** Attributes of all values besides the server; left out: the server is no attribute either. */
  attributes?: Readonly<Record<string, string>>;
  /** Attribute of all values that names the protocol. */
  protocolAs?: string;
}

const published = { isPublished: true, isByPosition: false, isOfStreams: false, isAdjusted: false } as const;
const inPieces = { ...published, isOfStreams: true } as const;

/** Every series, in the order in which a reader looks at them. One more is an entry here, and the line that records it. */
export const seriesTable = [
  {
    isPublished: true,
    isByPosition: true,
    isOfStreams: false,
    isAdjusted: true,
    name: 'turn',
    label: 'turn',
    latency: 'turn latency',
    holds: 'turns',
    from: "the first attempt's send",
    to: 'the end of the last attempt, backoffs included',
    equals: {
      ok: ['turn histograms of all positions, ok = ok turns', ({ turns }) => turns.ok],
      failed: ['turn histograms of all positions, failed = failed turns', ({ turns }) => failedTurns(turns)],
    },
    exportAs: {
      name: 'gen_ai.client.operation.duration',
      boundaries: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
      attributes: { 'gen_ai.operation.name': 'invoke_agent' },
      protocolAs: 'gen_ai.provider.name',
    },
  },
  {
    isPublished: true,
    isByPosition: false,
    isOfStreams: false,
    isAdjusted: true,
    name: 'effective',
    label: 'effective',
    latency: 'turn latency from the due instant',
    holds: 'turns',
    from: 'the instant they were due',
    to: 'the end of the last attempt: with all queueing and delay of the generator',
    equals: {
      ok: ['effective histogram, ok = ok turns', ({ turns }) => turns.ok],
      failed: ['effective histogram, failed = failed turns', ({ turns }) => failedTurns(turns)],
    },
  },
  {
    ...published,
    name: 'attempt',
    label: 'attempt',
    latency: 'attempt latency',
    holds: 'attempts of turns',
    from: 'the send',
    to: "the response's last byte, or the failure",
    equals: {
      ok: ['attempt histogram, ok = ok attempts', ({ attempts }) => attempts.ok],
      failed: ['attempt histogram, failed = failed attempts', ({ attempts }) => failedAttempts(attempts)],
    },
    exportAs: {
      name: 'http.client.request.duration',
      boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
      attributes: { 'http.request.method': 'POST' },
    },
  },
  {
    ...published,
    name: 'firstByte',
    label: 'first byte',
    latency: 'time to first byte',
    holds: 'attempts of turns with a response head',
    from: 'the send',
    to: 'the first byte of the response',
    equals: { all: ['firstByte histogram = attempts with a response head', ({ exchanges }) => exchanges.answered] },
  },
  {
    ...inPieces,
    name: 'firstToken',
    label: 'first token',
    latency: 'time to the first token',
    holds: 'attempts of turns with content in pieces, abandoned ones among the failed',
    from: 'the send',
    to: 'the read that brought the first content event, reasoning included',
    equals: {
      ok: ['firstToken histogram, ok = ok replies in pieces', ({ streams }) => streams.ok],
      failed: ['firstToken histogram, failed = other replies in pieces', ({ streams }) => streams.failed],
    },
  },
  {
    ...inPieces,
    name: 'firstAnswer',
    label: 'first answer',
    latency: 'time to the first token of the answer',
    holds: 'the same attempts, where content came that is no reasoning',
    from: 'the send',
    to: 'the read that brought the first content event that is no reasoning',
    equals: {
      ok: ['firstAnswer histogram, ok = ok replies in pieces with an answer', ({ streams }) => streams.answersOk],
      failed: [
        'firstAnswer histogram, failed = other replies in pieces with an answer',
        ({ streams }) => streams.answersFailed,
      ],
    },
  },
  {
    ...inPieces,
    name: 'effectiveFirstToken',
    label: 'effective first',
    latency: 'time to the first token from the due instant',
    holds: 'turns whose last attempt had content in pieces',
    from: 'the instant they were due',
    to: 'the first content event of the last attempt: with all queueing, retries and delay of the generator',
    equals: {
      ok: ['effectiveFirstToken histogram, ok = ok turns in pieces', ({ streams }) => streams.turnsOk],
      failed: ['effectiveFirstToken histogram, failed = failed turns in pieces', ({ streams }) => streams.turnsFailed],
    },
  },
  {
    ...inPieces,
    name: 'gap',
    label: 'gap',
    latency: 'gap between content events',
    holds: 'gaps of the same attempts as the first token, every one, by the end of their reply',
    from: 'the read that brought a content event',
    to: 'the read that brought the next one of the same reply',
    equals: {
      ok: ['gap histogram, ok = gaps in ok replies', ({ streams }) => streams.gapsOk],
      failed: ['gap histogram, failed = gaps in other replies', ({ streams }) => streams.gapsFailed],
    },
  },
  {
    ...inPieces,
    name: 'tokenTime',
    label: 'per token',
    latency: 'time per output token',
    holds: 'ok attempts of turns with two or more content events, whose reply told two or more output tokens',
    from: 'the first content event',
    to: 'the last one, divided by (output tokens - 1)',
    equals: {
      all: ['tokenTime histogram = ok replies in pieces with a time per token', ({ streams }) => streams.timed],
    },
  },
  {
    ...inPieces,
    name: 'replyTail',
    label: 'reply tail',
    latency: 'time from the last content to the end of a reply',
    holds: 'ok attempts of turns with content in pieces',
    from: 'the last content event',
    to: "the response's last byte",
    equals: { all: ['replyTail histogram = ok replies in pieces', ({ streams }) => streams.ok] },
  },
  {
    ...published,
    name: 'connect',
    label: 'connect',
    latency: 'time to connect',
    holds: 'attempts of turns that opened a connection',
    from: 'the send',
    to: 'DNS, TCP and TLS are done',
    equals: { all: ['connect histogram = attempts that opened a connection', ({ exchanges }) => exchanges.connected] },
  },
  {
    ...published,
    name: 'sessionCreate',
    label: 'session create',
    latency: 'time to create a session',
    holds: 'sessions created',
    from: "the first create attempt's send",
    to: 'the session id',
    equals: {
      all: [
        'sessionCreate histogram = sessions created - uncreated',
        ({ sessions }) => sessions.created - sessions.uncreated,
      ],
    },
  },
  {
    ...published,
    name: 'lateness',
    label: 'lateness',
    latency: 'lateness of turns',
    holds: 'turns sent',
    from: 'being ready',
    to: 'the first send: the delay that the generator added',
    equals: { all: ['lateness histogram = turns sent', ({ turnFlow }) => turnFlow.sent] },
  },
  {
    ...published,
    name: 'sessionLateness',
    label: 'session lateness',
    latency: 'lateness of sessions',
    holds: 'sessions started; open load only',
    from: 'being due',
    to: 'the first send',
    equals: {
      all: [
        'sessionLateness histogram = sessions started under an open load',
        ({ sessions }, load) => (load === 'open' ? sessions.started : 0),
      ],
    },
  },
  {
    ...published,
    name: 'backoff',
    label: 'planned backoff',
    latency: 'backoff as planned',
    holds: 'backoffs of turns that ended in a retry',
    from: 'the end of an attempt',
    to: 'the retry, as planned',
    equals: { all: ['backoffs = retries', ({ retries }) => total(retries)] },
  },
  {
    ...published,
    name: 'backoffActual',
    label: 'backoff',
    latency: 'backoff as it was',
    holds: 'the same backoffs',
    from: 'the end of an attempt',
    to: 'the retry, as it was',
    equals: { all: ['actual backoffs = retries', ({ retries }) => total(retries)] },
  },
  {
    isPublished: false,
    isByPosition: false,
    isOfStreams: false,
    isAdjusted: false,
    name: 'cutTurn',
    label: 'cut turn',
    latency: 'time of turns until the cut',
    holds: 'turns cut in their first attempt',
    from: 'its send',
    to: 'the cut',
    equals: {
      all: [
        'cutTurn histogram = attempts aborted - retries among them',
        ({ attempts, exchanges }) => attempts.aborted - exchanges.cutRetries,
      ],
    },
  },
  {
    isPublished: false,
    isByPosition: false,
    isOfStreams: false,
    isAdjusted: false,
    name: 'cutCreation',
    label: 'cut creation',
    latency: 'time of creations until the cut',
    holds: 'creations cut in their first attempt',
    from: 'its send',
    to: 'the cut',
    equals: {
      all: [
        'cutCreation histogram = create attempts aborted - retries among them',
        ({ createAttempts, exchanges }) => createAttempts.aborted - exchanges.cutCreateRetries,
      ],
    },
  },
] as const satisfies readonly Series[];
