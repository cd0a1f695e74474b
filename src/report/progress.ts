import type { Live } from '../record/live.ts';
import { turnClassNames } from '../wire/outcome.ts';
import { formatCount, formatElapsed, formatMs, formatPerSecond } from './format.ts';
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
    `${formatPerSecond(live.lastSecond.turns)} turns`,
    `p50 ${formatMs(live.lastSecond.p50Ms)}, p95 ${formatMs(live.lastSecond.p95Ms)}`,
    outcomesText(live),
    ...(live.retries > 0 ? [`${formatCount(live.retries)} ${live.retries === 1 ? 'retry' : 'retries'}`] : []),
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
    `turns     ${formatPerSecond(live.lastSecond.turns)}, ${formatCount(live.turnsInFlight)} in flight, p50 ${formatMs(live.lastSecond.p50Ms)}, p95 ${formatMs(live.lastSecond.p95Ms)}`,
    `outcomes  ${outcomesText(live)}, ${formatCount(live.retries)} retries`,
  ];
  return lines.map((line, index) => cut(index === 0 ? colors.cyan(line) : line, width)).join('\n');
}

function outcomesText({ turns }: Live): string {
  const shown = turnClassNames.filter((name) => turns[name] > 0 && name !== 'ok');
  return [`ok ${formatCount(turns.ok)}`, ...shown.map((name) => `${name} ${formatCount(turns[name])}`)].join(', ');
}

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

const cut = (line: string, width: number): string => (line.length > width + 10 ? `${line.slice(0, width - 1)}…` : line);
