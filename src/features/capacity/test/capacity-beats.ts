import type { Beat } from '../judge/player.ts';

/** Intervals of one second with these turns in flight and otherwise equal values. */
export function beatsInFlight(levels: readonly number[], rest: Partial<Beat> = {}): Beat[] {
  return levels.map((turnsInFlight, at) => ({
    startMs: at * 1000,
    lengthMs: 1000,
    turns: 10,
    turnMeanMs: 100,
    sessionsStarted: 2,
    sessionsEnded: 2,
    sessionsLive: 20,
    turnsInFlight,
    parts: [],
    ...rest,
  }));
}
