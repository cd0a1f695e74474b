import type { Random } from '../../../base/random.ts';
import type { Beat } from '../judge/player.ts';
import { EventQueue } from '../../../../test/support/event-queue.ts';
import type { ModelledService } from '../../../../test/support/modelled-services.ts';

/** A turn that has ended, as it is scored. */
export interface EndedTurn {
  tookMs: number;
  isOk: boolean;
  attempts: number;
  turn: number;
}

/** Sessions of a service, and the objective for their turns. */
export interface Workload {
  by: 'concurrency' | 'rate';
  turns: number;
  /** Gaps between the sessions of open load; none: exponential. */
  arrivals?: 'constant';
  drawThinkMs: () => number;
  maxAttempts: number;
  backoffMs: number;
  /** The part of a turn, for each objective. */
  scores: readonly ((turn: EndedTurn) => number)[];
}

/** Interval between observations of a step, unless its setting overrides it. */
const usualBeatMs = 1000;

/** Setting of a step: its load, its start, and whether sessions are concurrent or per second (by default as in the workload). */
export interface StepSetting {
  load: number;
  startsAt: number;
  random: Random;
  by?: Workload['by'];
  beatMs?: number;
}

/** Sessions against a modelled service at a steady load, by the second. */
export class ModelledStep {
  sent = 0;
  sessions = 0;
  readonly #queue = new EventQueue();
  /** By session: the turn that it is at, its start, and its attempts. */
  readonly #turn: number[] = [];
  readonly #startedAt: number[] = [];
  readonly #attempts: number[] = [];
  readonly #free: number[] = [];
  readonly #beats: Record<keyof typeof empty, number>[] = [];
  readonly #parts: number[][] = [];
  /** Changes of the number of turns in flight, and of sessions, that hold from a beat on. */
  readonly #changes: { inFlight: number[]; live: number[] } = { inFlight: [], live: [] };
  #levels = { inFlight: 0, live: 0 };
  #emitted = 0;

  readonly workload: Workload;
  readonly service: ModelledService;
  readonly setting: StepSetting;
  readonly #by: Workload['by'];
  readonly #beatMs: number;
  /** The latest end of a turn that is known. */
  #endsAt = 0;

  constructor(workload: Workload, service: ModelledService, setting: StepSetting) {
    [this.workload, this.service, this.setting] = [workload, service, setting];
    const { load, startsAt, by = workload.by, beatMs = usualBeatMs } = setting;
    [this.#by, this.#beatMs] = [by, beatMs];
    if (by === 'concurrency') for (let i = 0; i < load; i++) this.#begin(startsAt);
    else this.#queue.push(startsAt + this.#gapMs(), -1);
  }

  /** The next beat. */
  beat(): Beat {
    const number = this.#emitted++;
    const until = this.setting.startsAt + (number + 1) * this.#beatMs;
    for (;;) {
      const [own, answered] = [this.#queue.nextAt, this.service.nextAt()];
      if (Math.min(own, answered) >= until) break;
      if (answered < own) this.#answer(this.service.next(), answered, true);
      else this.#due(own);
    }
    return this.#published(number);
  }

  /** Stops waiting for pending requests. Returns the time of the last answer. */
  abandon(): number {
    let endsAt = this.#endsAt;
    while (this.service.nextAt() < Infinity) {
      endsAt = Math.max(endsAt, this.service.nextAt());
      this.service.next();
    }
    return endsAt;
  }

  #due(at: number): void {
    const id = this.#queue.pop();
    if (id >= 0) {
      this.#ask(id, at);
      return;
    }
    this.#queue.push(at + this.#gapMs(), -1);
    this.#begin(at);
  }

  #begin(at: number): void {
    const id = this.#free.pop() ?? this.#turn.length;
    this.#turn[id] = 0;
    this.#attempts[id] = 0;
    this.#change('live', at, 1);
    this.sessions++;
    this.#of(at).started++;
    // By concurrency everybody would send at once.
    this.#queue.push(at, id);
  }

  #ask(id: number, at: number): void {
    this.sent++;
    if (this.#attempts[id] === 0) {
      this.#startedAt[id] = at;
      this.#change('inFlight', at, 1);
    }
    this.#attempts[id] = (this.#attempts[id] ?? 0) + 1;
    const answer = this.service.ask({ at, turn: this.#turn[id] ?? 0, id });
    if (answer !== null) this.#answer(id, at + answer.afterMs, answer.isOk);
  }

  #answer(id: number, at: number, isOk: boolean): void {
    const { maxAttempts, backoffMs, turns, drawThinkMs } = this.workload;
    const attempts = this.#attempts[id] ?? 0;
    if (!isOk && attempts < maxAttempts) {
      this.#queue.push(at + backoffMs * 2 ** (attempts - 1) * (0.5 + this.setting.random()), id);
      return;
    }
    const turn = this.#turn[id] ?? 0;
    const startedAt = this.#startedAt[id] ?? 0;
    this.#end({ tookMs: at - startedAt, isOk, attempts, turn }, at);
    this.#attempts[id] = 0;
    if (isOk && turn + 1 < turns) {
      this.#turn[id] = turn + 1;
      this.#queue.push(at + drawThinkMs(), id);
      return;
    }
    this.#of(at).ended++;
    this.#change('live', at, -1);
    if (this.#by === 'rate') this.#free.push(id);
    else {
      this.#turn[id] = 0;
      this.#change('live', at, 1);
      this.sessions++;
      this.#of(at).started++;
      this.#queue.push(at + drawThinkMs(), id);
    }
  }

  #end(turn: EndedTurn, at: number): void {
    this.#endsAt = Math.max(this.#endsAt, at);
    const beat = this.#of(at);
    beat.turns++;
    beat.sumMs += turn.tookMs;
    const parts = (this.#parts[this.#numberOf(at)] ??= this.workload.scores.map(() => 0));
    this.workload.scores.forEach((score, index) => {
      parts[index] = (parts[index] ?? 0) + score(turn);
    });
    this.#change('inFlight', at, -1);
  }

  /** Changes a level by one, from an instant on. */
  #change(name: 'live' | 'inFlight', at: number, by: 1 | -1): void {
    const number = this.#numberOf(at);
    this.#of(at)[name] += by * (number + 1 - (at - this.setting.startsAt) / this.#beatMs);
    const changes = this.#changes[name];
    changes[number + 1] = (changes[number + 1] ?? 0) + by;
  }

  #published(number: number): Beat {
    const beat = this.#beats[number] ?? empty;
    this.#levels.inFlight += this.#changes.inFlight[number] ?? 0;
    this.#levels.live += this.#changes.live[number] ?? 0;
    const { scores } = this.workload;
    const parts = this.#parts[number] ?? scores.map(() => 0);
    return {
      startMs: number * this.#beatMs,
      lengthMs: this.#beatMs,
      turns: beat.turns,
      turnMeanMs: beat.turns > 0 ? beat.sumMs / beat.turns : null,
      sessionsStarted: beat.started,
      sessionsEnded: beat.ended,
      sessionsLive: beat.live + this.#levels.live,
      turnsInFlight: beat.inFlight + this.#levels.inFlight,
      parts: parts.map((part) => ({ part, whole: beat.turns })),
    };
  }

  readonly #gapMs = (): number => {
    const gaps = this.workload.arrivals === 'constant' ? 1 : -Math.log(1 - this.setting.random());
    return (gaps * 1000) / this.setting.load;
  };

  readonly #numberOf = (at: number): number => Math.floor((at - this.setting.startsAt) / this.#beatMs);

  #of(at: number): Record<keyof typeof empty, number> {
    return (this.#beats[this.#numberOf(at)] ??= { ...empty });
  }
}

const empty = { turns: 0, sumMs: 0, started: 0, ended: 0, live: 0, inFlight: 0 };
