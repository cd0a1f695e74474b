import { failedAttempts, failedTurns, total, type Counters } from './counters.ts';

/** The counter that equals the number of values of a part of a series: its description, and its value. */
type Equality = readonly [meaning: string, counted: (counters: Counters, load: 'open' | 'closed') => number];

export interface Series {
  name: string;
  label: string;
  /** Noun phrase in the meaning of a metric: `p95 of turn latency`. */
  latency: string;
  holds: string;
  from: string;
  to: string;
  isPublished: boolean;
  /** True if it is recorded by the position of the turn in its session; the series is their sum. */
  isByPosition: boolean;
  /** True for the content of streamed replies: it is empty without them. */
  isOfStreams: boolean;
  /** True if its percentiles are also published with failed turns counted as infinitely slow. */
  isAdjusted: boolean;
  equals: { ok: Equality; failed: Equality } | { all: Equality };
  /** Export of the series; without it, it is exported under its own name. */
  exportAs?: SeriesExport;
}

/** Export of a series according to OpenTelemetry's semantic conventions. */
export interface SeriesExport {
  name: string;
  /** Upper bounds of its buckets for scraping, in seconds. */
  boundaries: readonly number[];
  /** Attributes of all values besides the server; if omitted, the server is not an attribute either. */
  attributes?: Readonly<Record<string, string>>;
  /** Attribute of all values that names the protocol. */
  protocolAs?: string;
}

const published = { isPublished: true, isByPosition: false, isOfStreams: false, isAdjusted: false } as const;
const streamed = { ...published, isOfStreams: true } as const;

/** All series, in the order of display. A new one needs an entry here, and the line that records it. */
export const seriesTable = [
  {
    ...published,
    isByPosition: true,
    isAdjusted: true,
    name: 'turn',
    label: 'turn',
    latency: 'turn latency',
    holds: 'turns',
    from: "the first attempt's send",
    to: 'the end of the last attempt, including backoffs',
    equals: {
      ok: ['ok turns', ({ turns }) => turns.ok],
      failed: ['failed turns', ({ turns }) => failedTurns(turns)],
    },
    exportAs: {
      name: 'gen_ai.client.operation.duration',
      boundaries: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
      attributes: { 'gen_ai.operation.name': 'invoke_agent' },
      protocolAs: 'gen_ai.provider.name',
    },
  },
  {
    ...published,
    isAdjusted: true,
    name: 'effective',
    label: 'effective',
    latency: 'turn latency from the due instant',
    holds: 'turns',
    from: 'the instant they were due',
    to: "the end of the last attempt, including all queueing and the generator's own delay",
    equals: {
      ok: ['ok turns', ({ turns }) => turns.ok],
      failed: ['failed turns', ({ turns }) => failedTurns(turns)],
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
      ok: ['ok attempts', ({ attempts }) => attempts.ok],
      failed: ['failed attempts', ({ attempts }) => failedAttempts(attempts)],
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
    equals: { all: ['attempts with a response head', ({ exchanges }) => exchanges.answered] },
  },
  {
    ...streamed,
    name: 'firstToken',
    label: 'first token',
    latency: 'time to the first token',
    holds: 'attempts of turns with streamed content; abandoned ones count as failed',
    from: 'the send',
    to: 'the read that contained the first content event, including reasoning',
    equals: {
      ok: ['ok streamed replies', ({ streams }) => streams.ok],
      failed: ['other streamed replies', ({ streams }) => streams.failed],
    },
  },
  {
    ...streamed,
    name: 'firstAnswer',
    label: 'first answer',
    latency: 'time to the first token of the answer',
    holds: 'attempts of turns with streamed content other than reasoning',
    from: 'the send',
    to: 'the read that contained the first content event other than reasoning',
    equals: {
      ok: ['ok streamed replies with an answer', ({ streams }) => streams.answersOk],
      failed: ['other streamed replies with an answer', ({ streams }) => streams.answersFailed],
    },
  },
  {
    ...streamed,
    name: 'effectiveFirstToken',
    label: 'effective first',
    latency: 'time to the first token from the due instant',
    holds: 'turns whose last attempt had streamed content',
    from: 'the instant they were due',
    to: "the first content event of the last attempt, including all queueing, retries and the generator's own delay",
    equals: {
      ok: ['ok streamed turns', ({ streams }) => streams.turnsOk],
      failed: ['failed streamed turns', ({ streams }) => streams.turnsFailed],
    },
  },
  {
    ...streamed,
    name: 'gap',
    label: 'gap',
    latency: 'gap between content events',
    holds: 'all gaps of attempts of turns with streamed content, by the end of their reply',
    from: 'the read that contained a content event',
    to: 'the read that contained the next one of the same reply',
    equals: {
      ok: ['gaps in ok replies', ({ streams }) => streams.gapsOk],
      failed: ['gaps in other replies', ({ streams }) => streams.gapsFailed],
    },
  },
  {
    ...streamed,
    name: 'tokenTime',
    label: 'per token',
    latency: 'time per output token',
    holds: 'ok attempts of turns with two or more content events, whose reply reported two or more output tokens',
    from: 'the first content event',
    to: 'the last one, divided by (output tokens - 1)',
    equals: { all: ['ok streamed replies with a time per token', ({ streams }) => streams.timed] },
  },
  {
    ...streamed,
    name: 'replyTail',
    label: 'reply tail',
    latency: 'time from the last content to the end of a reply',
    holds: 'ok attempts of turns with streamed content',
    from: 'the last content event',
    to: "the response's last byte",
    equals: { all: ['ok streamed replies', ({ streams }) => streams.ok] },
  },
  {
    ...published,
    name: 'connect',
    label: 'connect',
    latency: 'time to connect',
    holds: 'attempts of turns that opened a connection',
    from: 'the send',
    to: 'the end of DNS, TCP and TLS',
    equals: { all: ['attempts that opened a connection', ({ exchanges }) => exchanges.connected] },
  },
  {
    ...published,
    name: 'sessionCreate',
    label: 'session create',
    latency: 'time to create a session',
    holds: 'sessions created',
    from: "the first create attempt's send",
    to: 'the session id',
    equals: { all: ['sessions created - uncreated', ({ sessions }) => sessions.created - sessions.uncreated] },
  },
  {
    ...published,
    name: 'lateness',
    label: 'lateness',
    latency: 'lateness of turns',
    holds: 'turns sent',
    from: 'being ready',
    to: 'the first send: the delay that the generator added',
    equals: { all: ['turns sent', ({ turnFlow }) => turnFlow.sent] },
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
      all: ['sessions started under an open load', ({ sessions }, load) => (load === 'open' ? sessions.started : 0)],
    },
  },
  {
    ...published,
    name: 'backoff',
    label: 'planned backoff',
    latency: 'planned backoff',
    holds: 'backoffs of turns that ended in a retry',
    from: 'the end of an attempt',
    to: 'the retry, as planned',
    equals: { all: ['retries', ({ retries }) => total(retries)] },
  },
  {
    ...published,
    name: 'backoffActual',
    label: 'backoff',
    latency: 'actual backoff',
    holds: 'backoffs of turns that ended in a retry',
    from: 'the end of an attempt',
    to: 'the actual retry',
    equals: { all: ['retries', ({ retries }) => total(retries)] },
  },
  {
    ...published,
    isPublished: false,
    name: 'cutTurn',
    label: 'cut turn',
    latency: 'time of cut turns',
    holds: 'turns cut in their first attempt',
    from: 'its send',
    to: 'the cut',
    equals: {
      all: [
        'attempts aborted - retries among them',
        ({ attempts, exchanges }) => attempts.aborted - exchanges.cutRetries,
      ],
    },
  },
  {
    ...published,
    isPublished: false,
    name: 'cutCreation',
    label: 'cut creation',
    latency: 'time of cut creations',
    holds: 'creations cut in their first attempt',
    from: 'its send',
    to: 'the cut',
    equals: {
      all: [
        'create attempts aborted - retries among them',
        ({ createAttempts, exchanges }) => createAttempts.aborted - exchanges.cutCreateRetries,
      ],
    },
  },
] as const satisfies readonly Series[];
