import type { Live } from '../record/live.ts';
import { turnClassNames } from '../wire/outcome.ts';
import { formatCount, formatElapsed, formatMs } from './format.ts';
import type { Style } from './table.ts';

export interface Progress {
  live: Live;
  /** Sessions that are planned; `null` when only the duration is. */
  sessions: number | null;
  durationMs: number | null;
}

/** One line for logs and pipes. */
export function progressLine({ live, sessions, durationMs }: Progress): string {
  const parts = [
    formatElapsed(live.elapsedMs),
    `sessions ${formatCount(live.sessionsDone)}${sessions === null ? '' : `/${formatCount(sessions)}`} done, ${formatCount(live.sessionsLive)} live`,
    `${formatCount(live.lastSecond.turns)} turns/s`,
    `p50 ${formatMs(live.lastSecond.p50Ms)}, p95 ${formatMs(live.lastSecond.p95Ms)}`,
    outcomesText(live),
    ...(live.retries > 0 ? [retriesText(live)] : []),
  ];
  const left = remainingMs(live, { sessions, durationMs });
  return [...parts, ...(left === undefined ? [] : [`about ${formatElapsed(left)} left`])].join(' | ');
}

/** A few lines, redrawn in place on a terminal. */
export function progressBlock(progress: Progress, { colors, width }: Style): string {
  const { live, sessions } = progress;
  const left = remainingMs(live, progress);
  const share = doneShare(live, progress);
  const lines = [
    `${bar(share, Math.min(30, width - 40))} ${formatElapsed(live.elapsedMs)}${left === undefined ? '' : `, about ${formatElapsed(left)} left`}`,
    `sessions  ${formatCount(live.sessionsLive)} live, ${formatCount(live.sessionsDone)}${sessions === null ? '' : ` of ${formatCount(sessions)}`} done`,
    `turns     ${formatCount(live.lastSecond.turns)}/s, ${formatCount(live.turnsInFlight)} in flight, p50 ${formatMs(live.lastSecond.p50Ms)}, p95 ${formatMs(live.lastSecond.p95Ms)}`,
    `outcomes  ${outcomesText(live)}, ${retriesText(live)}`,
  ];
  const [head = '', ...rest] = lines.map((line) => cut(line, width));
  return [colors.cyan(head), ...rest].join('\n');
}

function outcomesText({ turns }: Live): string {
  const shown = turnClassNames.filter((name) => turns[name] > 0 && name !== 'ok');
  return [`ok ${formatCount(turns.ok)}`, ...shown.map((name) => `${name} ${formatCount(turns[name])}`)].join(', ');
}

const retriesText = ({ retries }: Live): string => `${formatCount(retries)} ${retries === 1 ? 'retry' : 'retries'}`;

/** How much is done: of the duration or of the sessions, whichever ends the run first. */
function doneShare(live: Live, { sessions, durationMs }: Omit<Progress, 'live'>): number {
  const byTime = durationMs === null ? 0 : live.elapsedMs / durationMs;
  return Math.min(1, Math.max(byTime, sessions === null ? 0 : live.sessionsDone / sessions));
}

/** By the clock where the duration says so, else by the pace so far; `undefined` too early to say. */
function remainingMs(live: Live, plan: Omit<Progress, 'live'>): number | undefined {
  const share = doneShare(live, plan);
  if (share < 0.02) return undefined;
  return (live.elapsedMs * (1 - share)) / share;
}

function bar(share: number, width: number): string {
  const full = Math.round(share * Math.max(10, width));
  return `${'█'.repeat(full)}${'░'.repeat(Math.max(10, width) - full)}`;
}

const cut = (line: string, width: number): string => (line.length > width ? `${line.slice(0, width - 1)}…` : line);
