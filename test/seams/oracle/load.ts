import { ForeseenSession } from './session.ts';
import type { World } from './world.ts';

/** Whoever starts sessions: closed load or open. */
export interface Starter {
  begin: () => void;
  live: () => number;
  /** Number of sessions started, and the due instants of those that never started. */
  dealt: () => { count: number; overdue: readonly number[] };
}

/** Closed load: as many sessions as the level; a session is due when its slot is free. */
export function closedLoad(world: World): Starter {
  const { timeline, end, caps, given } = world;
  const { sessions, durationMs, load } = given.plan;
  let [dealt, live, slots] = [0, 0, 0];
  const mayStart = (): boolean =>
    !end.isDrained && timeline.now < (durationMs ?? Infinity) && live < slots && caps.creation();
  const fill = (): void => {
    while (mayStart()) {
      dealt += 1;
      live += 1;
      if (dealt === sessions) end.drain();
      new ForeseenSession(world, { number: dealt, due: timeline.now }, () => {
        live -= 1;
        fill();
      });
    }
  };
  return {
    begin: () => {
      for (const [at, level] of slotsOver(load.segments))
        timeline.at(at, () => {
          slots = level;
          fill();
        });
    },
    live: () => live,
    dealt: () => ({ count: dealt, overdue: [] }),
  };
}

/** While the level is between k - 1 and k there are k slots. */
function* slotsOver(
  segments: readonly { startMs: number; endMs: number | null; from: number; to: number }[],
): Generator<[at: number, slots: number]> {
  for (const { startMs, endMs, from, to } of segments) {
    yield [startMs, Math.ceil(from)];
    if (endMs === null) continue;
    const crossing = (level: number): number => startMs + ((level - from) / (to - from)) * (endMs - startMs);
    for (let level = Math.ceil(from); level < to; level++) yield [crossing(level), level + 1];
    for (let level = Math.ceil(from) - 1; level >= to; level--) yield [crossing(level), level];
  }
}

/**
 * Open load: sessions arrive when they are due. If too many are live, a new one waits, along with those after it, or is
 * dropped.
 */
export function openLoad(world: World): Starter {
  const { timeline, end, caps, given, note } = world;
  const { sessions, durationMs, load, retry } = given.plan;
  if (load.model !== 'open') throw new Error('this load is closed');
  const max = load.maxConcurrency ?? Infinity;
  /** Due instants of waiting sessions; the first one has been admitted and waits for a slot. */
  const queue: number[] = [];
  let [arrived, dealt, live] = [0, 0, 0];
  let isAdmitted = false;

  const deal = (): number => {
    isAdmitted = false;
    dealt += 1;
    if (dealt === sessions) end.drain();
    return dealt;
  };
  const start = (due: number): void => {
    live += 1;
    new ForeseenSession(world, { number: deal(), due }, () => {
      live -= 1;
      admit();
    });
  };
  /** Admits those first in line, as far as possible. */
  const admit = (): void => {
    for (let due = queue[0]; due !== undefined && !end.isDrained; due = queue[0]) {
      isAdmitted ||= caps.creation();
      // A cap on sessions acts as a number of sessions: later ones were never requested.
      if (!isAdmitted && !end.isHalted) queue.splice(0);
      if (!isAdmitted || live >= max) return;
      queue.shift();
      start(due);
    }
  };
  const drop = (due: number): void => {
    const policy = dealt % retry.length;
    note('session.dropped', { from: due, policy });
    deal();
  };
  const arrive = (due: number): void => {
    if (end.isDrained) return;
    arrived += 1;
    if (live >= max && load.whenFull === 'drop') drop(due);
    else {
      queue.push(due);
      admit();
    }
    expectNext();
  };
  const expectNext = (): void => {
    if (end.isDrained || arrived === sessions) return;
    const next = given.dueInstants.next();
    if (next.done !== true && next.value < (durationMs ?? Infinity)) timeline.at(next.value, () => arrive(next.value));
  };
  return {
    begin: expectNext,
    live: () => live,
    dealt: () => ({ count: dealt, overdue: queue.filter((due) => due < end.drainedAt) }),
  };
}
