import type { Beat } from '../beat.ts';

/** Pace of a step, from its second half: by then its sessions have started. */
export interface Pace {
  turnsPerSecond: number;
  /** Mean time from one turn of a session to its next one. */
  cycleMs: number;
}

/** Pace of a step by its beats. */
export function measurePace(beats: readonly Beat[]): Pace {
  const kept = beats.slice(Math.floor(beats.length / 2));
  const sumOf = (valueOf: (beat: Beat) => number): number => kept.reduce((sum, beat) => sum + valueOf(beat), 0);
  const [lengthMs, turns] = [sumOf((beat) => beat.lengthMs), sumOf((beat) => beat.turns)];
  if (turns === 0) return { turnsPerSecond: 0, cycleMs: 0 };
  return {
    turnsPerSecond: (turns * 1000) / lengthMs,
    cycleMs: sumOf((beat) => beat.sessionsLive * beat.lengthMs) / turns,
  };
}
