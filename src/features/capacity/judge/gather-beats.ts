import { sumBy } from '../../../statistics/averages.ts';
import type { Beat, Part } from './player.ts';

/** Minimum length of an interval: four per second, as often as a runner in one process reports. */
export const minStretchMs = 250;

/** Actual intervals vary slightly: an interval that is slightly too short is not merged with the next. */
const nearlyAll = 0.9;

/** Merges intervals to at least this length, whatever the reporting rate; an incomplete rest is dropped. */
export function gatherBeats(beats: readonly Beat[], lengthMs: number): Beat[] {
  const gathered: Beat[] = [];
  let [from, sumMs] = [0, 0];
  beats.forEach((beat, at) => {
    sumMs += beat.lengthMs;
    if (sumMs < nearlyAll * lengthMs) return;
    gathered.push(from === at ? beat : joinBeats(beats.slice(from, at + 1), sumMs));
    [from, sumMs] = [at + 1, 0];
  });
  return gathered;
}

/** Merges intervals to at least the mean turn latency, since shorter ones resemble their neighbours. */
export function gatherByLatency(beats: readonly Beat[], minStretches: number): Beat[] {
  const turns = sumBy(beats, (beat) => beat.turns);
  const meanMs = turns === 0 ? 0 : sumBy(beats, latencySum) / turns;
  const maxMs = sumBy(beats, ({ lengthMs }) => lengthMs) / (2 * minStretches);
  return gatherBeats(beats, Math.max(minStretchMs, Math.min(maxMs, meanMs)));
}

function joinBeats(beats: readonly Beat[], lengthMs: number): Beat {
  const [first] = beats;
  const turns = sumBy(beats, (beat) => beat.turns);
  const meanOver = (levelOf: (beat: Beat) => number): number =>
    sumBy(beats, (beat) => levelOf(beat) * beat.lengthMs) / lengthMs;
  return {
    startMs: first?.startMs ?? 0,
    lengthMs,
    turns,
    turnMeanMs: turns > 0 ? sumBy(beats, latencySum) / turns : null,
    sessionsStarted: sumBy(beats, (beat) => beat.sessionsStarted),
    sessionsEnded: sumBy(beats, (beat) => beat.sessionsEnded),
    sessionsLive: meanOver((beat) => beat.sessionsLive),
    turnsInFlight: meanOver((beat) => beat.turnsInFlight),
    parts: (first?.parts ?? []).map((_, at) => joinParts(beats.map((beat) => beat.parts[at] ?? nothing))),
  };
}

const nothing: Part = { part: 0, whole: 0 };

const joinParts = (parts: readonly Part[]): Part => ({
  part: sumBy(parts, ({ part }) => part),
  whole: sumBy(parts, ({ whole }) => whole),
});

const latencySum = ({ turns, turnMeanMs }: Beat): number => turns * (turnMeanMs ?? 0);

/**
 * Returns the number of intervals that the first sessions took: chat turns take longer as their conversation grows, and
 * at the start all conversations are at their first turn. `null`: these sessions have not ended yet. Closed load: as
 * many sessions have ended as are live. Open load: the mean duration of a session, by the lag of departures after
 * arrivals.
 */
export function generationOf(beats: readonly Beat[], isOpen: boolean): number | null {
  return isOpen ? openGeneration(beats) : closedGeneration(beats);
}

function closedGeneration(beats: readonly Beat[]): number | null {
  let ended = 0;
  for (const [index, beat] of beats.entries()) {
    ended += beat.sessionsEnded;
    if (ended > 0 && ended >= beat.sessionsLive) return index + 1;
  }
  return null;
}

/** Finds the arrival of the session that departs now: as many sessions ago as are live. */
function openGeneration(beats: readonly Beat[]): number | null {
  let [started, ended, first] = [0, 0, 0];
  for (const [index, beat] of beats.entries()) {
    ended += beat.sessionsEnded;
    while (first <= index && started + (beats[first]?.sessionsStarted ?? 0) <= ended)
      started += beats[first++]?.sessionsStarted ?? 0;
    const length = index + 1 - first;
    if (ended > 0 && 2 * length <= index + 1) return length;
  }
  return null;
}

/** Pace of a step, measured in its second half, when its sessions have started. */
export interface Pace {
  turnsPerSecond: number;
  /** Mean time from one turn of a session to its next one. */
  cycleMs: number;
}

export function measurePace(beats: readonly Beat[]): Pace {
  const kept = beats.slice(Math.floor(beats.length / 2));
  const [lengthMs, turns] = [sumBy(kept, (beat) => beat.lengthMs), sumBy(kept, (beat) => beat.turns)];
  if (turns === 0) return { turnsPerSecond: 0, cycleMs: 0 };
  return {
    turnsPerSecond: (turns * 1000) / lengthMs,
    cycleMs: sumBy(kept, (beat) => beat.sessionsLive * beat.lengthMs) / turns,
  };
}
