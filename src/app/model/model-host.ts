import type { Clock, Instant } from '../../base/time.ts';
import { later, ms } from '../../base/time.ts';
import type { AttemptFact } from '../../model-calls/attempt-facts.ts';
import { createModelRecorder, type ModelRecorder } from '../../model-calls/model-recorder.ts';
import type { CallEnd, CallPlace, CallStart, ModelObserver } from '../../model-calls/model-observer.ts';
import { isBrokenOff } from '../../protocol/outcome.ts';
import { pricesByModel } from '../../plan/prices.ts';
import { openModelService, type RunningModel } from '../../reference-service/model/model-service.ts';
import { unusedTurns } from '../../result/sections/warning.ts';
import { every } from '../../schedule/stop/watch-run.ts';
import { openCallSpans } from './open-call-spans.ts';
import type { ModelOwnerCalls, ModelProcessCalls, ModelRun, ModelToOpen, SeenCall } from './model-messages.ts';

/** Maximum number of calls that `seen` returns. */
const maxSeen = 50;
/** The end of a run waits until no call is open, and none arrived for a moment. */
const patience = { stepMs: ms(50), quietMs: 250, maxMs: 5000 } as const;

/** Share of a core that the process may use for two seconds. */
const maxCoreShare = 0.9;

/** The model service and the count of its calls, as one process has them. */
export class ModelHost {
  readonly #clock: Clock;
  readonly #owner: ModelOwnerCalls;
  #opened: { service: RunningModel; given: ModelToOpen } | undefined;
  #recorder: ModelRecorder | undefined;
  #stopRolling: () => void = () => undefined;
  #isCostReached = false;
  /** Turns of the run that ended before its first call; `undefined` after a call, or a warning. */
  #unusedTurns: number | undefined;
  readonly #cpuMs: () => number;
  /** CPU time used, at the last two full seconds. */
  #used: { at: Instant; cpuMs: number }[] = [];
  #startedAt: Instant;
  /** Calls in progress, and the instant at which the last one began or ended. */
  #open = 0;
  #lastAt: Instant;
  readonly #starts = new Map<number, CallStart>();
  readonly #seen: SeenCall[] = [];
  #spans: Awaited<ReturnType<typeof openCallSpans>>;

  /** @param cpuMs CPU time that the process has used, in milliseconds */
  constructor(clock: Clock, owner: ModelOwnerCalls, cpuMs = ownCpuMs) {
    this.#cpuMs = cpuMs;
    this.#clock = clock;
    this.#owner = owner;
    this.#lastAt = clock.now();
    this.#startedAt = this.#lastAt;
  }

  readonly calls: ModelProcessCalls = {
    open: async (given) => {
      const service = await openModelService(given.options, {
        clock: this.#clock,
        observer: this.#observer,
        allowHosts: given.allowHosts,
      });
      // Loads the packages before a run.
      await openCallSpans(given.plan, this.#owner, '');
      this.#opened = { service, given };
      return { port: service.port };
    },
    begin: (run) => this.#begin(run),
    take: (facts) => {
      this.#recorder?.take(facts);
      this.#watchUse(facts);
    },
    end: async ({ elapsedMs }) => {
      await this.#quiet();
      this.#stopRolling();
      const recorder = this.#recorder;
      if (recorder === undefined) throw new Error('no run has begun');
      this.#opened?.service.abandonOpen();
      this.#recorder = undefined;
      await this.#spans?.end();
      this.#spans = undefined;
      recorder.closeAt(this.#clock.now());
      return recorder.snapshots(later(this.#startedAt, ms(elapsedMs)));
    },
    ping: () => undefined,
    seen: () => this.#seen,
  };

  #begin(run: ModelRun): void {
    const { options, prices } = this.#opened?.given ?? {};
    if (options === undefined) throw new Error('the model service has not been opened');
    this.#stopRolling();
    this.#startedAt = run.startedAt;
    this.#isCostReached = false;
    this.#unusedTurns = 0;
    this.#used = [];
    const recorder = createModelRecorder({
      run: run.id.slice(0, 8),
      plan: run,
      startedAt: run.startedAt,
      model: options,
      pricing: prices && pricesByModel(prices),
      shards: run.shards,
      onInterval: (piece, part) => this.#owner.interval({ part, piece }),
      onClosed: (untilMs) => this.#owner.closed(untilMs),
    });
    this.#recorder = recorder;
    void openCallSpans(this.#opened?.given.plan, this.#owner, run.id).then((spans) => (this.#spans = spans));
    this.#stopRolling = every(ms(1000), { clock: this.#clock, start: run.startedAt }, (now) => {
      if (this.#isCoreUsedUp(now)) recorder.saturated(now);
      recorder.roll(now);
      this.#watchCost(recorder, run);
    });
  }

  #watchCost(recorder: ModelRecorder, { maxCost }: ModelRun): void {
    if (maxCost === null || this.#isCostReached || recorder.costNanos < maxCost * 1e9) return;
    this.#isCostReached = true;
    this.#owner.costReached(recorder.costNanos);
  }

  /** Reports turns that ended without any call: the agent may not know the address of the service. */
  #watchUse(facts: readonly AttemptFact[]): void {
    if (this.#unusedTurns === undefined) return;
    this.#unusedTurns += facts.filter((fact) => fact.kind === 'turn' && !isBrokenOff(fact.outcome)).length;
    if (this.#unusedTurns < unusedTurns) return;
    this.#owner.unused(this.#unusedTurns);
    this.#unusedTurns = undefined;
  }

  /** Reports whether the process used up a core in the last two seconds. */
  #isCoreUsedUp(now: Instant): boolean {
    const cpuMs = this.#cpuMs();
    const [since] = this.#used;
    this.#used = [...this.#used, { at: now, cpuMs }].slice(-2);
    return since !== undefined && now - since.at >= 1500 && cpuMs - since.cpuMs >= maxCoreShare * (now - since.at);
  }

  readonly #observer: ModelObserver = {
    callStarted: (start): CallPlace | undefined => {
      this.#open++;
      this.#unusedTurns = undefined;
      this.#lastAt = start.arrivedAt;
      this.#spans?.calls.started(start);
      if (this.#seen.length + this.#starts.size < maxSeen) this.#starts.set(start.id, start);
      return this.#recorder?.callStarted(start);
    },
    callEnded: (end) => {
      this.#open--;
      this.#lastAt = end.endedAt;
      this.#keep(end);
      this.#recorder?.callEnded(end);
      this.#spans?.calls.ended(end);
    },
    otherRequest: (at) => this.#recorder?.otherRequest(at),
    connectionOpened: (at) => this.#recorder?.connectionOpened(at),
  };

  #keep(end: CallEnd): void {
    const start = this.#starts.get(end.id);
    if (start === undefined) return;
    this.#starts.delete(end.id);
    this.#seen.push({
      model: start.model,
      outcome: end.outcome,
      traceId: start.traceId ?? start.headerTraceId,
    });
  }

  async #quiet(): Promise<void> {
    const until = later(this.#clock.now(), ms(patience.maxMs));
    const isQuiet = (now: Instant): boolean => this.#open === 0 && now - this.#lastAt > patience.quietMs;
    for (let now = this.#clock.now(); now < until && !isQuiet(now); now = this.#clock.now())
      await new Promise<void>((resolve) => this.#clock.wakeAt(later(now, patience.stepMs), resolve));
  }
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
