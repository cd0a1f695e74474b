import { CacheWatch } from '../../src/session/cache-watch.ts';
import { ms, type Instant } from '../../src/base/time.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import { Quota } from '../../src/schedule/quota.ts';
import { StopSignal, type RunStop } from '../../src/schedule/stop/stop-controller.ts';
import { unusableStop } from '../../src/session/judge-fitness.ts';
import { Fitness } from '../../src/schedule/stop/fitness.ts';
import { Sleeper } from '../../src/schedule/sleeper.ts';
import { Watchdog } from '../../src/schedule/stop/watchdog.ts';
import { LiveIds, type SessionContext, Spending, boundTurns } from '../../src/session/session-context.ts';
import type {
  AttemptRecord,
  GiveUp,
  IntegrityRecord,
  Observer,
  RetryRecord,
  SessionRecord,
  TurnRecord,
} from '../../src/session/observer.ts';
import { chatMessaging } from '../../src/protocol/chat-messaging/chat-messaging.ts';
import { openGuard } from '../../src/session/integrity/guard.ts';
import { playSession } from '../../src/session/play-session.ts';
import { RetryBudget } from '../../src/session/retry.ts';
import type { Exchange } from '../../src/session/send.ts';
import type { ChatApi, ChatRequest, Operation, Route } from '../../src/protocol/protocol.ts';
import type { HeadSources } from '../../src/session/session-head.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { HonestAgent, MessageSent } from './honest-agent.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Answer of a simulated service to one request. `afterMs`: its time; Infinity: never. */
export interface Answer extends Partial<
  Pick<
    Exchange,
    | 'status'
    | 'body'
    | 'detail'
    | 'closeCode'
    | 'retryAfter'
    | 'waits'
    | 'date'
    | 'failure'
    | 'content'
    | 'stream'
    | 'setCookies'
  >
> {
  afterMs?: number;
}

interface Sent {
  route: Route;
  operation: Operation;
  body: Record<string, unknown>;
  at: number;
  /** Header fields of the session. */
  fields: string | undefined;
}

const anyChatId = 'any';
/** A conforming reply. Without a given `chatId` it has a different one each time it is sent. */
export function okReply(sessionId: string, data: Readonly<Record<string, unknown>> = {}): Answer {
  return {
    status: 200,
    body: JSON.stringify({
      success: true,
      data: {
        response: 'Hello.',
        chatId: anyChatId,
        sessionId,
        isSession: true,
        createdAt: '2026-01-01T00:00:00Z',
        updatedAt: '2026-01-01T00:00:00Z',
        ...data,
      },
    }),
  };
}
export function created(sessionId: string): Answer {
  return { status: 201, body: JSON.stringify({ data: { sessionId } }) };
}
export function refusal(status: number, error: string, retryAfter?: string): Answer {
  return {
    status,
    body: JSON.stringify({ error }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

/**
 * Runs sessions in virtual time against scripted answers, then against an agent if there is one, and keeps all their
 * records.
 */
export class SessionLab implements Observer {
  readonly clock = new VirtualClock();
  readonly stopSignal = new StopSignal();
  readonly sent: Sent[] = [];
  readonly attempts: AttemptRecord[] = [];
  readonly integrityRecords: IntegrityRecord[] = [];
  readonly retries: RetryRecord[] = [];
  readonly turns: TurnRecord[] = [];
  readonly sessions: SessionRecord[] = [];
  readonly createGaveUps: GiveUp[] = [];
  readonly lateness: number[] = [];
  readonly started: number[] = [];
  readonly circuit: string[] = [];
  readonly abandoned: string[] = [];
  /** Caps that were reached. */
  readonly spent: RunStop[] = [];
  readonly stage: SessionContext;
  readonly #answers: (Answer | undefined)[];
  readonly #agent: HonestAgent | undefined;
  readonly #inFlight = new Set<() => void>();

  /** An answer that is `undefined` is left to the agent. */
  constructor(
    scenario: Partial<Scenario>,
    answers: readonly (Answer | undefined)[],
    { agent, api, heads }: { agent?: HonestAgent | undefined; api?: ChatApi; heads?: HeadSources } = {},
  ) {
    this.#agent = agent;
    const { plan, script } = resolveScenario(
      { name: 'x', messages: ['Hi'], sessions: 1, ...scenario },
      { flags: {}, environment: {} },
    );
    this.#answers = [...answers];
    const quota = new Quota(plan, (spent) => {
      this.spent.push(spent);
      this.stopSignal.apply('halt');
    });
    const abandon: SessionContext['abandon'] = (error) => {
      this.abandoned.push(error.message);
      this.stopSignal.apply('cut');
    };
    this.stage = {
      plan,
      script,
      clock: this.clock,
      stopSignal: this.stopSignal,
      sleeper: new Sleeper(this.clock, this.stopSignal),
      observer: this,
      quota,
      liveIds: new LiveIds(undefined),
      watchdog: new Watchdog(plan.stopWhen),
      throttle: { refused: () => undefined, succeeded: () => undefined },
      fitness: { create: new Fitness(null), message: new Fitness(null) },
      leaveUnfit: (found) => {
        const why = unusableStop(found).why;
        this.circuit.push(why);
        this.stopSignal.apply('halt');
      },
      spending: new Spending(quota, 1),
      send: (request, sentAt, leaveAfterMs) => this.#send(request, sentAt, leaveAfterMs),
      policies: plan.retry.map((policy) => ({
        policy,
        budget: policy.budget === null ? undefined : new RetryBudget(policy.budget),
      })),
      turnPlace: plan.load.maxTurnsInFlight === null ? undefined : boundTurns(plan.load.maxTurnsInFlight),
      guard: openGuard(plan, ''),
      caches: new CacheWatch(),
      heads,
      api: api ?? chatMessaging.open(plan.target),
      breakCircuit: (why) => {
        this.circuit.push(why);
        this.stopSignal.apply('halt');
      },
      abandon,
    };
  }

  play(number = 1): Promise<Instant> {
    return playSession(this.stage, number, this.clock.now());
  }

  async run(number = 1): Promise<this> {
    await this.clock.finish(this.play(number));
    return this;
  }

  /** Aborts requests in flight, as the sender does. */
  cut(): void {
    this.stopSignal.apply('cut');
    for (const abort of [...this.#inFlight]) abort();
  }

  sessionStarted(): void {
    this.started.push(this.clock.now());
  }
  sessionCreated(): void {}
  sessionBegun(): void {}
  socketsChanged(): void {}
  unsolicitedFrame(): void {}
  turnSent(_: unknown, ready: Instant, sentAt: Instant): void {
    this.lateness.push(sentAt - ready);
  }
  attempt(record: AttemptRecord): void {
    this.attempts.push(record);
  }
  integrity(record: IntegrityRecord): void {
    this.integrityRecords.push(record);
  }
  retry(record: RetryRecord): void {
    this.retries.push(record);
  }
  createGaveUp(_: unknown, why: GiveUp): void {
    this.createGaveUps.push(why);
  }
  turn(record: TurnRecord): void {
    this.turns.push(record);
  }
  sessionEnded(record: SessionRecord): void {
    this.sessions.push(record);
  }
  sessionDropped(): void {}
  sessionsNotStarted(): void {}

  #send({ route, body, fields }: ChatRequest, sentAt: Instant, leaveAfterMs = ms(Infinity)): Promise<Exchange> {
    const { operation } = route;
    this.sent.push({ route, operation, body: JSON.parse(body || '{}') as Record<string, unknown>, at: sentAt, fields });
    const planned = stamped(this.#answers.shift() ?? this.#answer(operation, body), this.sent.length);
    const isLeft = (planned.afterMs ?? 10) >= leaveAfterMs;
    const { afterMs = 10, ...answer }: Answer = isLeft
      ? { ...planned, failure: 'abandoned', afterMs: leaveAfterMs }
      : planned;
    return new Promise((resolve) => {
      const end = (outcome: Answer): void => {
        this.#inFlight.delete(abort);
        cancel();
        const endedAt = this.clock.now();
        const base = {
          sentAt,
          firstByteAt: outcome.failure === undefined ? endedAt : undefined,
          endedAt,
          connectMs: undefined,
          reused: true,
          isUtf8: true,
        };
        resolve({ ...base, failure: undefined, status: 0, retryAfter: undefined, body: '', detail: '', ...outcome });
      };
      const abort = (): void => end({ failure: 'aborted' });
      this.#inFlight.add(abort);
      const cancel =
        afterMs === Infinity
          ? () => undefined
          : this.clock.wakeAt((sentAt + ms(afterMs)) as Instant, () => end(answer));
    });
  }

  #answer(operation: Operation, body: string): Answer {
    const sent = JSON.parse(body) as MessageSent;
    if (operation === 'create') return created(`s${String(this.sent.length)}`);
    return okReply(sent.sessionId, { ...this.#agent?.answer(sent) });
  }
}

const stamped = (answer: Answer, nth: number): Answer =>
  answer.body === undefined
    ? answer
    : { ...answer, body: answer.body.replace(`"chatId":"${anyChatId}"`, `"chatId":"chat ${String(nth)}"`) };
