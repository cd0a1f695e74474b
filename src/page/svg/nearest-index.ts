/** The index of the time nearest to an instant, of rising times; `null`: there is none. */
export function nearestIndex(times: readonly number[], at: number): number | null {
  if (times.length === 0) return null;
  const after = times.findIndex((time) => time >= at);
  if (after <= 0) return after === 0 ? 0 : times.length - 1;
  return (times[after] ?? 0) - at < at - (times[after - 1] ?? 0) ? after : after - 1;
}
