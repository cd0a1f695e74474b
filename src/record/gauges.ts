import { z } from 'zod';
import { shortestIntervalMs, startOf } from './interval-width.ts';

const count = z.int().min(0);

/** Numbers of live sessions and turns in flight over an interval, or over its part before or after the end of the warm-up. */
export const intervalLevelsSchema = z.object({
  startMs: count,
  warmUp: z.boolean(),
  lengthUs: count,
  /** Session-microseconds; divided by the length, the mean. */
  sessionsUs: count,
  maxSessions: count,
  turnsUs: count,
  maxTurns: count,
  /** Open sockets of sessions; omitted without WebSocket. */
  socketsUs: count.optional(),
  maxSockets: count.optional(),
});
export type IntervalLevels = z.infer<typeof intervalLevelsSchema>;

/** A gauge with its integral over time. */
class Level {
  value = 0;
  max = 0;
  areaUs = 0;
  /** Integral since the start; `areaUs` restarts with every interval. */
  totalUs = 0;
  #sinceUs = 0;

  change(by: number, atUs: number): void {
    this.advance(atUs);
    this.value += by;
    if (this.value > this.max) this.max = this.value;
  }

  /** Advances to an instant; a change reported late counts from the latest known instant. */
  advance(toUs: number): void {
    if (toUs <= this.#sinceUs) return;
    this.areaUs += this.value * (toUs - this.#sinceUs);
    this.totalUs += this.value * (toUs - this.#sinceUs);
    this.#sinceUs = toUs;
  }

  restart(): void {
    this.areaUs = 0;
    this.max = this.value;
  }
}

/** Gauges of live sessions and turns in flight, split at interval boundaries and at the end of the warm-up. */
export class Gauges {
  readonly #sessions = new Level();
  readonly #turns = new Level();
  /** `undefined` until a socket was opened. */
  #sockets: Level | undefined;
  readonly #warmUpUs: number;
  #lastStartMs = 0;
  #fromUs = 0;
  #untilUs: number;
  #ended: IntervalLevels[] = [];

  constructor(warmUpMs: number) {
    this.#warmUpUs = Math.round(warmUpMs * 1000);
    this.#untilUs = this.#nextBoundary();
  }

  get liveSessions(): number {
    return this.#sessions.value;
  }

  get turnsInFlight(): number {
    return this.#turns.value;
  }

  /** Start of the latest session, in milliseconds since the start of the run; 0 before the first. */
  get lastStartMs(): number {
    return this.#lastStartMs;
  }

  sessionTimeMs(elapsedMs: number): number {
    this.#sessions.advance(this.#reach(elapsedMs));
    return this.#sessions.totalUs / 1000;
  }

  changeSessions(by: number, elapsedMs: number): void {
    const atUs = this.#reach(elapsedMs);
    if (by > 0) this.#lastStartMs = Math.max(this.#lastStartMs, elapsedMs);
    this.#sessions.change(by, atUs);
  }

  changeTurns(by: number, elapsedMs: number): void {
    const atUs = this.#reach(elapsedMs);
    this.#turns.change(by, atUs);
  }

  changeSockets(by: number, elapsedMs: number): void {
    const atUs = this.#reach(elapsedMs);
    (this.#sockets ??= new Level()).change(by, atUs);
  }

  /** Removes and returns, at `elapsedMs`, the ended intervals that started before `beforeMs`. */
  takeEnded(elapsedMs: number, beforeMs: number): IntervalLevels[] {
    this.#reach(elapsedMs);
    const taken = this.#ended.filter((each) => each.startMs < beforeMs);
    this.#ended = this.#ended.filter((each) => each.startMs >= beforeMs);
    return taken;
  }

  /** Ends the current interval early; its rest becomes another part. */
  cut(elapsedMs: number): void {
    const atUs = this.#reach(elapsedMs);
    if (atUs > this.#fromUs) this.#end(atUs);
  }

  #reach(elapsedMs: number): number {
    const atUs = Math.max(this.#fromUs, Math.round(elapsedMs * 1000));
    while (atUs >= this.#untilUs) this.#end(this.#untilUs);
    return atUs;
  }

  #end(untilUs: number): void {
    this.#ended.push(this.#read(untilUs));
    this.#sessions.restart();
    this.#turns.restart();
    this.#sockets?.restart();
    this.#fromUs = untilUs;
    this.#untilUs = this.#nextBoundary();
  }

  #read(untilUs: number): IntervalLevels {
    this.#sessions.advance(untilUs);
    this.#turns.advance(untilUs);
    this.#sockets?.advance(untilUs);
    return {
      startMs: startOf(this.#fromUs / 1000, shortestIntervalMs),
      warmUp: this.#fromUs < this.#warmUpUs,
      lengthUs: untilUs - this.#fromUs,
      sessionsUs: this.#sessions.areaUs,
      maxSessions: this.#sessions.max,
      turnsUs: this.#turns.areaUs,
      maxTurns: this.#turns.max,
      ...(this.#sockets && { socketsUs: this.#sockets.areaUs, maxSockets: this.#sockets.max }),
    };
  }

  #nextBoundary(): number {
    const next = startOf(this.#fromUs / 1000, shortestIntervalMs) * 1000 + shortestIntervalMs * 1000;
    return this.#fromUs < this.#warmUpUs && this.#warmUpUs < next ? this.#warmUpUs : next;
  }
}

/**
 * Joins levels of neighbouring times: lengths and integrals are added, the greater maximum is kept. A part without a length
 * was reported late by a worker: it covers the same time as the other.
 */
export function joinInTime(a: IntervalLevels, b: IntervalLevels): IntervalLevels {
  if (a.lengthUs === 0 || b.lengthUs === 0) return joinWorkers(a, b);
  return {
    ...addUp(a, b),
    lengthUs: a.lengthUs + b.lengthUs,
    maxSessions: Math.max(a.maxSessions, b.maxSessions),
    maxTurns: Math.max(a.maxTurns, b.maxTurns),
    ...joinSockets(a, b, Math.max),
  };
}

/** Joins levels of one time from two workers: the maxima are added to an upper bound, since they need not coincide. */
export function joinWorkers(a: IntervalLevels, b: IntervalLevels): IntervalLevels {
  return {
    ...addUp(a, b),
    lengthUs: Math.max(a.lengthUs, b.lengthUs),
    maxSessions: a.maxSessions + b.maxSessions,
    maxTurns: a.maxTurns + b.maxTurns,
    ...joinSockets(a, b, (some, others) => some + others),
  };
}

function joinSockets(
  a: IntervalLevels,
  b: IntervalLevels,
  joinMax: (some: number, others: number) => number,
): Pick<IntervalLevels, 'socketsUs' | 'maxSockets'> {
  if (a.socketsUs === undefined && b.socketsUs === undefined) return {};
  return {
    socketsUs: (a.socketsUs ?? 0) + (b.socketsUs ?? 0),
    maxSockets: joinMax(a.maxSockets ?? 0, b.maxSockets ?? 0),
  };
}

const addUp = (a: IntervalLevels, b: IntervalLevels): IntervalLevels => ({
  ...a,
  sessionsUs: a.sessionsUs + b.sessionsUs,
  turnsUs: a.turnsUs + b.turnsUs,
});
