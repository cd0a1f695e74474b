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
  /**
   * Delays of the generator that its values contain: of one read; of the reads and backoffs of all attempts of a turn, and of its
   * due instant; of connecting; the difference of two reads, per token; none, because it is about the generator itself, or because another
   * process measured it.
   */
  delays: 'read' | 'turn' | 'due' | 'dueRead' | 'connect' | 'gap' | 'difference' | 'perToken' | 'none' | 'elsewhere';
  /** True if its values end with the whole reply, which may be polled. */
  isOfPolls?: true;
  /** True if its percentiles are also published with failed turns counted as infinitely slow. */
  isAdjusted: boolean;
  equals: { ok: Equality; failed: Equality } | { all: Equality };
  /** True for the model calls behind the agent: it is empty without `model`. */
  isOfModel?: true;
  /** True for times of attempts with model calls, which lack the calls that are not attributed. */
  isOfAttributedCalls?: true;
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

const published = {
  isPublished: true,
  isByPosition: false,
  isOfStreams: false,
  isAdjusted: false,
  delays: 'read',
} as const;
const streamed = { ...published, isOfStreams: true } as const;
const ofModel = { ...published, isOfModel: true, delays: 'elsewhere' } as const;
const ofAttributed = { ...ofModel, isOfAttributedCalls: true } as const;

/** All series, in the order of display. A new one needs an entry here, and the line that records it. */
export const seriesTable = [
  {
    ...published,
    isByPosition: true,
    isAdjusted: true,
    delays: 'turn',
    name: 'turn',
    isOfPolls: true,
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
    delays: 'due',
    name: 'effective',
    isOfPolls: true,
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
    isOfPolls: true,
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
    isByPosition: true,
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
    delays: 'dueRead',
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
    delays: 'difference',
    name: 'gap',
    label: 'gap',
    latency: 'gap between content events',
    holds:
      'all gaps of attempts of turns with streamed content, by the end of their reply; events of one read have none',
    from: 'the read that contained a content event',
    to: 'the next read that contained one of the same reply',
    equals: {
      ok: ['gaps in ok replies', ({ streams }) => streams.gapsOk],
      failed: ['gaps in other replies', ({ streams }) => streams.gapsFailed],
    },
  },
  {
    ...streamed,
    delays: 'perToken',
    name: 'tokenTime',
    label: 'per token',
    latency: 'time per output token',
    holds:
      'ok attempts of turns with content events in two or more reads, whose reply reported two or more output tokens',
    from: 'the first content event',
    to: 'the last one, divided by (output tokens - 1)',
    equals: { all: ['ok streamed replies with a time per token', ({ streams }) => streams.timed] },
  },
  {
    ...streamed,
    delays: 'difference',
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
    delays: 'connect',
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
    delays: 'read',
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
    delays: 'none',
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
    delays: 'none',
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
    delays: 'none',
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
    delays: 'none',
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
    delays: 'none',
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
    delays: 'none',
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
  {
    ...published,
    isPublished: false,
    delays: 'none',
    name: 'readDelay',
    label: 'read delay',
    latency: 'delay of reading',
    holds: 'probes received while turns were in flight',
    from: 'the instant at which another thread sent it',
    to: 'the instant at which the event loop received it',
    equals: { all: ['probes received', ({ readDelays }) => readDelays.sampled] },
  },
  {
    ...published,
    isPublished: false,
    delays: 'none',
    name: 'replyDelay',
    label: 'reply delay',
    latency: 'delay of reading replies',
    holds: 'replies, each with the delay measured next to it',
    from: 'the estimated arrival of its last byte',
    to: 'the read that contained it',
    equals: { all: ['replies with a measured delay', ({ readDelays }) => readDelays.replies] },
  },
  {
    ...ofAttributed,
    name: 'model.time',
    label: 'model time',
    latency: 'model time',
    holds: 'attempts of turns with a model call',
    from: 'the send',
    to: 'the end of the attempt: time with an open model call',
    equals: { all: ['attempts with a model call', ({ modelAttempts }) => modelAttempts.withCalls] },
  },
  {
    ...ofAttributed,
    name: 'model.retryWait',
    label: 'retry wait',
    latency: 'wait before repeated model calls',
    holds: 'attempts of turns with a model call',
    from: 'the end of a failed call',
    to: 'its repeat, without time with another open call',
    equals: { all: ['attempts with a model call', ({ modelAttempts }) => modelAttempts.withCalls] },
  },
  {
    ...ofAttributed,
    name: 'model.agentTime',
    label: 'agent time',
    latency: 'time of the agent itself',
    holds: 'attempts of turns with a model call',
    from: 'the send',
    to: 'the end of the attempt: remaining time',
    equals: { all: ['attempts with a model call', ({ modelAttempts }) => modelAttempts.withCalls] },
  },
  {
    ...ofAttributed,
    name: 'model.beforeFirstCall',
    label: 'before first call',
    latency: 'time before the first model call',
    holds: 'attempts of turns with a model call',
    from: 'the send',
    to: 'the arrival of the first model call',
    equals: { all: ['attempts with a model call', ({ modelAttempts }) => modelAttempts.withCalls] },
  },
  {
    ...ofAttributed,
    name: 'model.afterLastCall',
    label: 'after last call',
    latency: 'time after the last model call',
    holds: 'attempts of turns whose last model call ended before them',
    from: 'the end of the last model call',
    to: 'the end of the attempt',
    equals: {
      all: ['attempts whose last model call ended before them', ({ modelAttempts }) => modelAttempts.endedAfterCalls],
    },
  },
  {
    ...ofAttributed,
    name: 'model.relay',
    label: 'relay',
    latency: 'relay of the first token',
    holds: 'streamed attempts of turns whose model call was streamed',
    from: 'the first content of the model call',
    to: 'the first token of the reply',
    equals: { all: ['streamed attempts with a streamed model call', ({ modelAttempts }) => modelAttempts.relayed] },
  },
  {
    ...ofModel,
    name: 'model.call',
    label: 'model call',
    latency: 'model call latency',
    holds: 'model calls that were not cut',
    from: 'the arrival of the request',
    to: 'the last byte of the response',
    equals: {
      all: [
        'model calls - open at the end',
        ({ modelCalls, modelOutcomes }) => modelCalls.calls - modelOutcomes.open_at_end,
      ],
    },
  },
  {
    ...ofModel,
    name: 'model.firstToken',
    label: 'model first token',
    latency: 'time to the first token of the model',
    holds: 'streamed model calls with content',
    from: 'the arrival of the request',
    to: 'the first content',
    equals: { all: ['streamed model calls with content', ({ modelCalls }) => modelCalls.streamed] },
  },
  {
    ...ofAttributed,
    name: 'model.cancelDelay',
    label: 'cancel delay',
    latency: 'time until the agent closes a model call',
    holds: 'model calls open when the attempt broke, that the agent closed',
    from: 'the end of the attempt',
    to: 'the end of the call',
    equals: {
      all: ['model calls that the agent closed after a broken attempt', ({ modelCalls }) => modelCalls.closedLate],
    },
  },
  {
    ...ofModel,
    name: 'model.lateness',
    label: 'model lateness',
    latency: 'lateness of the model service',
    holds: 'model calls with a due write',
    from: 'the due instant',
    to: 'the write: the delay that the model service added',
    equals: { all: ['model calls with a due write', ({ modelCalls }) => modelCalls.timed] },
  },
] as const satisfies readonly Series[];
