import type { Live } from './live.ts';

/** The progress of a run, as far as that is known. */
interface Progression {
  /** `undefined` while forecasts contradict each other. */
  restMs: number | undefined;
  /** Of the time that the run takes; never less than before. */
  doneShare: number;
}

/**
 * Smooths forecasts of a run's rest for display: a new one is computed once a second, since that is slower than reading
 * the counts; none is shown before three in a row agree, and from then on the end moves by a third of the way to the
 * forecast.
 */
export function followForecast(forecast: (live: Live) => number | undefined): (live: Live) => Progression {
  let second = -1;
  let agreeing = 0;
  let [latest, endMs] = [NaN, NaN];
  let doneShare = 0;
  const look = (now: number, restMs = Infinity): void => {
    if (!Number.isFinite(restMs)) return;
    const isAgreed = Math.abs(now + restMs - latest) <= Math.max(leastMs, restMs * tolerance);
    agreeing = isAgreed ? agreeing + 1 : 0;
    latest = now + restMs;
    if (Number.isFinite(endMs)) endMs += (latest - endMs) * step;
    else if (agreeing >= enough) endMs = latest;
  };
  return (live) => {
    const { elapsedMs: now } = live;
    if (Math.floor(now / 1000) !== second) look(now, forecast(live));
    second = Math.floor(now / 1000);
    if (!Number.isFinite(endMs)) return { restMs: undefined, doneShare };
    doneShare = Math.max(doneShare, Math.min(1, now / Math.max(1, endMs)));
    return { restMs: Math.max(0, endMs - now), doneShare };
  };
}

const enough = 2;
const tolerance = 0.2;
const leastMs = 1000;
const step = 1 / 3;
