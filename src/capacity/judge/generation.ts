import type { Beat } from '../beat.ts';

/**
 * How many beats the first sessions took: chat turns grow dearer with their conversation, and at the start all
 * conversations are at their first turn. `null`: they are not through yet. Closed load: as many sessions have ended as
 * are live. Open load: the mean length of a session, by how far departures are behind arrivals.
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

/** The session that departs now came as many sessions ago as are live. */
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
