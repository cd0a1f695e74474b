import type { Beat, Part } from '../beat.ts';

/** Nothing is counted in less than this: four stretches a second, as often as a player in one process beats. */
export const leastStretchMs = 250;

/** Beats of real players are not quite even: what is a little short is no reason for twice as much. */
const nearlyAll = 0.9;

/**
 * Beats together, so that each stretch is at least so long: what depends on how often a player beats says nothing. What
 * is left over at the end joins no stretch.
 */
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

/**
 * Stretches that a turn does not outlast in the mean: shorter ones resemble their neighbours whatever happens. Where
 * turns take as long as the whole, there are still twice `leastStretches`.
 */
export function gatherByLatency(beats: readonly Beat[], leastStretches: number): Beat[] {
  const turns = sumOf(beats, (beat) => beat.turns);
  const meanMs = turns === 0 ? 0 : sumOf(beats, latencySum) / turns;
  const mostMs = sumOf(beats, ({ lengthMs }) => lengthMs) / (2 * leastStretches);
  return gatherBeats(beats, Math.max(leastStretchMs, Math.min(mostMs, meanMs)));
}

function joinBeats(beats: readonly Beat[], lengthMs: number): Beat {
  const [first] = beats;
  const turns = sumOf(beats, (beat) => beat.turns);
  const meanOver = (levelOf: (beat: Beat) => number): number =>
    sumOf(beats, (beat) => levelOf(beat) * beat.lengthMs) / lengthMs;
  return {
    startMs: first?.startMs ?? 0,
    lengthMs,
    turns,
    turnMeanMs: turns > 0 ? sumOf(beats, latencySum) / turns : null,
    sessionsStarted: sumOf(beats, (beat) => beat.sessionsStarted),
    sessionsEnded: sumOf(beats, (beat) => beat.sessionsEnded),
    sessionsLive: meanOver((beat) => beat.sessionsLive),
    turnsInFlight: meanOver((beat) => beat.turnsInFlight),
    parts: (first?.parts ?? []).map((_, at) => joinParts(beats.map((beat) => beat.parts[at] ?? nothing))),
  };
}

const nothing: Part = { part: 0, whole: 0 };

const joinParts = (parts: readonly Part[]): Part => ({
  part: sumOf(parts, ({ part }) => part),
  whole: sumOf(parts, ({ whole }) => whole),
});

const latencySum = ({ turns, turnMeanMs }: Beat): number => turns * (turnMeanMs ?? 0);

const sumOf = <Item>(items: readonly Item[], valueOf: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + valueOf(item), 0);
