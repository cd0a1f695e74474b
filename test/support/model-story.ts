import { instant, ms, type Instant } from '../../src/base/time.ts';
import type { AttemptFact } from '../../src/model-calls/attempt-facts.ts';
import {
  createModelRecorder,
  type ModelRecorder,
  type ModelRecorderOptions,
} from '../../src/model-calls/model-recorder.ts';
import type { CallEnd, CallPlace, CallStart } from '../../src/model-calls/model-observer.ts';
import { textHashOf } from '../../src/model-calls/text-hash.ts';
import { makeTraceId } from '../../src/model-calls/trace-id.ts';
import { newCounters, addCounters, type Counters } from '../../src/record/counters.ts';
import { mergeTallies } from '../../src/record/tally.ts';
import type { SeriesName } from '../../src/record/series.ts';
import type { Snapshot } from '../../src/record/snapshot.ts';
import type { AttemptClass, TurnClass } from '../../src/protocol/outcome.ts';
import { planFor } from './synthetic-run.ts';

const run = '0badcafe';

interface Told {
  at: number;
  tell: (recorder: ModelRecorder) => void;
}

type CallParts = Partial<Omit<CallStart & CallEnd, 'arrivedAt' | 'endedAt' | 'firstContentAt'>> & {
  firstContentAt?: number;
  /** Model that the reply names; by default the requested one. */
  answeredBy?: string;
};
interface AttemptParts {
  session?: number;
  turn?: number;
  attempt?: number;
  policy?: number;
  text?: string;
  firstSentAt?: number;
  firstTokenAt?: number;
  words?: readonly string[];
  /** Delay of its facts. */
  delay?: number;
}

const optional = (at: number | undefined): Instant | undefined => (at === undefined ? undefined : instant(at));

/** Attempts and model calls of known agents, told to a recorder in order of time. Times are milliseconds since the start of the run. */
export class ModelStory {
  readonly told: Told[] = [];
  readonly places: (CallPlace | undefined)[] = [];
  #calls = 0;

  /** Tells an attempt, and returns its trace id. */
  attempt(sentAt: number, endedAt: number, outcome: AttemptClass = 'ok', parts: AttemptParts = {}): string {
    const { session = 1, turn = 1, attempt = 1, policy = 0, text = '', words = [], delay = 0 } = parts;
    const { firstSentAt = sentAt, firstTokenAt } = parts;
    const traceId = makeTraceId(run, { session, turn, attempt });
    const begun = { kind: 'begun', traceId, session, turn, attempt, policy, textHash: textHashOf(text) } as const;
    this.fact(sentAt + delay, { ...begun, sentAt: instant(sentAt), countedFrom: instant(firstSentAt) });
    const ended = { kind: 'ended', traceId, outcome, endedAt: instant(endedAt), words } as const;
    this.fact(endedAt + delay, { ...ended, firstTokenAt: optional(firstTokenAt) });
    return traceId;
  }

  turn(
    firstSentAt: number,
    endedAt: number,
    outcome: TurnClass = 'ok',
    parts: AttemptParts & { attempts?: number } = {},
  ): void {
    const { session = 1, turn = 1, policy = 0, attempts = 1, delay = 0 } = parts;
    const traceId = makeTraceId(run, { session, turn, attempt: attempts });
    const fact = { kind: 'turn', traceId, session, turn, policy, outcome, attempts } as const;
    this.fact(endedAt + delay, { ...fact, firstSentAt: instant(firstSentAt), endedAt: instant(endedAt) });
  }

  /** Tells a turn of one attempt, and returns its trace id. */
  single(sentAt: number, endedAt: number, outcome: AttemptClass = 'ok', parts: AttemptParts = {}): string {
    const traceId = this.attempt(sentAt, endedAt, outcome, parts);
    this.turn(sentAt, endedAt, outcome, parts);
    return traceId;
  }

  call(traceId: string | undefined, arrivedAt: number, endedAt: number, parts: CallParts = {}): number {
    const id = ++this.#calls;
    const { api = 'chat', model = 'm', digest = `digest ${String(id)}`, retryCount = 0, blocks = [] } = parts;
    const {
      headerTraceId,
      userText = '',
      inputTokens = 0,
      outcome = 'ok',
      status = 200,
      firstContentAt,
      ...end
    } = parts;
    const start = { id, arrivedAt: instant(arrivedAt), api, model, traceId, headerTraceId, userText, digest };
    this.tell(arrivedAt, (recorder) => {
      this.places.push(recorder.callStarted({ ...start, retryCount, blocks, inputTokens }));
    });
    const { fault, usage, latenessMs, word, answeredBy = model } = end;
    const times = { endedAt: instant(endedAt), firstContentAt: optional(firstContentAt) };
    this.tell(endedAt, (recorder) => {
      recorder.callEnded({ id, ...times, outcome, status, model: answeredBy, fault, usage, latenessMs, word });
    });
    return id;
  }

  fact(at: number, fact: AttemptFact): void {
    this.tell(at, (recorder) => recorder.take([fact]));
  }

  tell(at: number, tell: Told['tell']): void {
    this.told.push({ at, tell });
  }

  /** Plays the story with one roll per second, up to the end of the run. */
  play(options: Partial<ModelRecorderOptions> = {}, endAt?: number): Recorded {
    const recorder = createModelRecorder({
      plan: planFor(),
      run,
      startedAt: instant(0),
      model: { match: undefined, orphanGrace: ms(250) },
      defer: () => undefined,
      ...options,
    });
    let second = 0;
    const until = (at: number): void => {
      while ((second + 1) * 1000 <= at) recorder.roll(instant(++second * 1000));
    };
    for (const { at, tell } of this.told.toSorted((a, b) => a.at - b.at)) {
      until(at);
      tell(recorder);
    }
    const end = endAt ?? Math.max(0, ...this.told.map(({ at }) => at)) + 10;
    until(end);
    recorder.closeAt(instant(end));
    const [whole, ...parts] = recorder.snapshots(instant(end));
    if (whole === undefined || parts.length > 0) throw new Error('the load has one shard');
    return recordedIn(whole, recorder);
  }
}

export interface Recorded {
  snapshot: Snapshot;
  recorder: ModelRecorder;
  /** Counters of the measured part. */
  counters: Counters;
  /** Number and sum of the values of a series of the measured part, in milliseconds. */
  series: (name: SeriesName) => { count: number; ms: number };
}

function recordedIn(snapshot: Snapshot, recorder: ModelRecorder): Recorded {
  const measured = mergeTallies(snapshot.totals.filter(({ warmUp }) => !warmUp));
  const counters = newCounters();
  if (snapshot.totals.some(({ warmUp }) => !warmUp)) addCounters(counters, measured.counters);
  const series = (name: SeriesName) => {
    const { count = 0, sumUs = 0 } = measured.series[name] ?? {};
    return { count, ms: sumUs / 1000 };
  };
  return { snapshot, recorder, counters, series };
}
