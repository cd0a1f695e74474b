import { randomUUID } from 'node:crypto';
import { later, ms } from '../../src/base/time.ts';
import { conductRun } from '../../src/app/run/conduct-run.ts';
import { publishRun } from '../../src/app/run/publish-run.ts';
import { resolveScenario, type ResolvedScenario } from '../../src/plan/resolve-scenario.ts';
import type { Recorder } from '../../src/record/recorder.ts';
import type { Snapshot } from '../../src/record/snapshot.ts';
import type { Result } from '../../src/result/result.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { Warning } from '../../src/result/sections/warning.ts';
import type { Exchange, Send } from '../../src/session/send.ts';
import type { Operation } from '../../src/protocol/protocol.ts';
import type { ExchangeFailure } from '../../src/protocol/outcome.ts';
import { runFacts, surroundings } from './synthetic-result.ts';
import { VirtualClock } from './virtual-clock.ts';
import { wholeExchange } from './whole-exchange.ts';

/** An exchange as the pretended service saw it. */
export interface Served {
  operation: Operation;
  /** In the order of creations, from 1. */
  session: number;
  sentAt: number;
  endedAt: number;
  status: number;
}

/** Returns the service's answer to a request at an instant. */
export type ServiceModel = (
  operation: Operation,
  at: number,
  /** The JSON text of the request. */
  asked: string,
) => {
  /** Infinity: never. */
  afterMs: number;
  status?: number;
  failure?: ExchangeFailure;
  /** In addition to the fields of the contract. */ data?: object;
  /** Replaces all of these. */ body?: string;
} & Partial<Pick<Exchange, 'retryAfter' | 'waits'>>;

/** A run, and the record of the service it ran against. */
export interface Witnessed {
  result: Result;
  served: Served[];
  /** Notes during the run. */
  notes: Warning[];
}

/** The generator stalls once: none of its timers fire. */
interface Standstill {
  atMs: number;
  forMs: number;
}

/** Receives the recorder of a run at its start. */
type Watch = (
  recorder: Pick<Recorder, 'live' | 'totals'>,
  around: { resolved: ResolvedScenario; clock: VirtualClock },
) => void;

interface Watching {
  watch?: Watch;
  /** Receives every interval when it is closed. */
  onInterval?: (piece: Snapshot) => void;
}

/** Runs a scenario through all stages in virtual time, against a service of a known distribution, to its own end. */
export async function runVirtually(
  scenario: Partial<Scenario>,
  model: ServiceModel,
  standstill: Standstill = { atMs: 0, forMs: 0 },
): Promise<Witnessed> {
  const witnessed = await witness(scenario, model, standstill);
  const { stop } = witnessed.result.run;
  if (stop !== null) throw new Error(`the run was stopped: ${stop.kind}`);
  return witnessed;
}

/** Runs it, whatever ends the run. */
export async function witness(
  scenario: Partial<Scenario>,
  model: ServiceModel,
  { atMs, forMs, watch, onInterval }: Standstill & Watching = { atMs: 0, forMs: 0 },
): Promise<Witnessed & { leftTimers: number }> {
  const clock = new VirtualClock();
  const served: Served[] = [];
  const notes: Warning[] = [];
  const inFlight = new Set<() => void>();
  const resolved = resolveScenario({ name: 'virtual', messages: ['Hi'], ...scenario }, { flags: {}, environment: {} });
  const never = new AbortController().signal;
  const running = conductRun(resolved, {
    sender: {
      send: serviceOf(model, clock, { served, inFlight }),
      cut: () => [...inFlight].forEach((abort) => abort()),
    },
    clock,
    stops: { drain: never, cut: never },
    warn: (warning) => notes.push(warning),
    journal: onInterval && { add: onInterval, failed: new Promise(() => undefined) },
    watch: (recorder) => watch?.(recorder, { resolved, clock }),
  });
  await clock.run(atMs);
  clock.stall(forMs);
  const outcome = await clock.finish(running);
  if (outcome.stop?.kind === 'bug') throw outcome.stop.error;
  const result = publishRun(resolved, outcome, { ...surroundings, run: runFacts });
  return { result, served, notes, leftTimers: clock.pending };
}

/** State of the service: its exchanges, and the functions that abort unanswered ones. */
interface Seen {
  served: Served[];
  inFlight: Set<() => void>;
}

function serviceOf(model: ServiceModel, clock: VirtualClock, { served, inFlight }: Seen): Send {
  let sessions = 0;
  return ({ route: { operation }, body: asked }, sentAt) => {
    const session = operation === 'create' ? ++sessions : numberOf(asked);
    const {
      afterMs,
      status = operation === 'create' ? 201 : 200,
      failure,
      data,
      retryAfter,
      waits,
      ...whole
    } = model(operation, sentAt, asked);
    const endedAt = later(sentAt, ms(afterMs));
    served.push({ operation, session, sentAt, endedAt, status });
    const body = whole.body ?? bodyOf(status, session, data);
    const answered = { ...wholeExchange({ sentAt, endedAt, status, body }), retryAfter, waits };
    const exchange = failure === undefined ? answered : { ...answered, ...nothing, failure, detail: `it ${failure}` };
    return new Promise((resolve) => {
      const end = (ended: Exchange): void => {
        inFlight.delete(abort);
        cancel();
        resolve(ended);
      };
      const abort = (): void => end({ ...answered, ...nothing, failure: 'aborted', endedAt: clock.now() });
      const cancel = afterMs === Infinity ? () => undefined : clock.wakeAt(endedAt, () => end(exchange));
      inFlight.add(abort);
    });
  };
}

const numberOf = (body: string): number => Number((JSON.parse(body) as { sessionId: string }).sessionId);

const nothing = { status: 0, body: '', firstByteAt: undefined };

function bodyOf(status: number, session: number, more: object = {}): string {
  if (status >= 400) return '{"success":false,"error":"Chat provider error"}';
  const sessionId = String(session);
  const dates = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
  return JSON.stringify({
    success: true,
    data: { response: 'Hi.', chatId: randomUUID(), sessionId, isSession: true, ...dates, ...more },
  });
}
