import { notJoining } from '../base/printable.ts';
import type { Plan } from '../plan/plan.ts';
import type { Live } from '../record/live.ts';
import { turnClassNames } from '../protocol/outcome.ts';
import { countOf, formatCount, formatElapsed, formatMs, formatNumber, formatRate } from '../base/format.ts';
import { sparkline } from './words/bars.ts';
import type { Style } from './words/table.ts';
import { cut } from './words/width.ts';

export interface Progress {
  live: Live;
  plan: Pick<Plan, 'name' | 'target' | 'sessions' | 'gates' | 'confidentGates'>;
  /** Estimated remaining time; `undefined` while it is unknown. */
  restMs: number | undefined;
  /** Share of the time that is over; 0 while it is unknown. */
  doneShare: number;
}

/** Formats the progress as one line, for logs and pipes. */
export function progressLine({ live, plan: { sessions }, restMs }: Progress): string {
  const parts = [
    formatElapsed(live.elapsedMs),
    `sessions ${formatCount(doneSessions(live))}${sessions === null ? '' : `/${formatCount(sessions)}`} done, ${formatCount(live.sessionsLive)} live${notCreatedText(live)}`,
    ...(hasSecond(live)
      ? [
          formatRate(live.lastSecond.turns, 'turn'),
          ...(hasTokens(live) ? [`TTFT ${percentilesText(live.lastSecond.firstToken)}`] : []),
          `turn ${percentilesText(live.lastSecond)}`,
        ]
      : []),
    outcomesText(live),
    ...(live.retries > 0 ? [retriesText(live)] : []),
  ];
  return [...parts, ...(leftText(restMs) === '' ? [] : [leftText(restMs)])].join(' | ');
}

/** Formats the progress as a few lines that are redrawn in place on a terminal and never exceed its width. */
export function progressBlock({ live, plan, restMs, doneShare }: Progress, { colors, width }: Style): string {
  const { sessions, name, target, gates, confidentGates } = plan;
  const { lastSecond } = live;
  const gateTexts = Object.entries(gates).map(
    ([metric, condition]) => `${metric} ${condition}${confidentGates.includes(metric) ? ' (confident)' : ''}`,
  );
  const lines = [
    `${bar(doneShare, Math.min(30, width - 40))} ${formatElapsed(live.elapsedMs)}${leftText(restMs) && `, ${leftText(restMs)}`}`,
    `scenario  ${name}, ${target.baseUrl ?? 'embedded reference service'}, ${target.protocol}${target.stream ? ', streaming' : ''}`,
    ...(target.stream ? streamLines(live) : []),
    `sessions  ${formatCount(live.sessionsLive)} live, ${formatCount(doneSessions(live))}${sessions === null ? '' : ` of ${formatCount(sessions)}`} done${notCreatedText(live)}`,
    hasSecond(live)
      ? `turns     ${formatCount(lastSecond.turns)}/s, ${formatCount(live.turnsInFlight)} in flight, p50 ${formatMs(lastSecond.p50Ms)}`
      : `turns     ${formatCount(live.turnsInFlight)} in flight`,
    `turn p95  ${hasSecond(live) ? formatMs(lastSecond.p95Ms) : ''} ${sparkline({ values: live.p95Ms, max: Math.max(1, Math.min(60, width - 20)), minRange: 1 })}`.trimEnd(),
    `outcomes  ${outcomesText(live)}, ${retriesText(live)}`,
    `gates     ${gateTexts.join(', ')}`,
  ];
  const [head = '', ...rest] = lines.map((line) => cut(clean(line), width));
  return [colors.cyan(head), ...rest].join('\n');
}

/** Formats the figures of streamed replies, the most important first; their gates are in a line below. */
function streamLines({ lastSecond: { firstToken, gap, tokenTime }, outputTokens, elapsedMs }: Live): string[] {
  const rate = outputTokens === 0 || elapsedMs === 0 ? '-' : formatNumber((outputTokens * 1000) / elapsedMs);
  return [
    `TTFT      ${percentilesText(firstToken)}; ${rate} output tokens/s on average`,
    `gap       ${percentilesText(gap)}; per token ${percentilesText(tokenTime)}`,
  ];
}

const percentilesText = ({ p50Ms, p95Ms }: Live['lastSecond']['gap']): string =>
  `p50 ${formatMs(p50Ms)}, p95 ${formatMs(p95Ms)}`;

const hasTokens = ({ lastSecond: { firstToken } }: Live): boolean => firstToken.p50Ms !== null;

/** Reports whether the first second is over, so that rates are known. */
const hasSecond = ({ p95Ms }: Live): boolean => p95Ms.length > 0;

/** Returns the number of sessions that ended, excluding sessions that were never created. */
const doneSessions = ({ sessionsDone, sessionsNotCreated }: Live): number => sessionsDone - sessionsNotCreated;

function notCreatedText({ sessionsNotCreated, failedCreations }: Live): string {
  if (failedCreations === 0) return '';
  const attempts = countOf(failedCreations, 'attempt');
  if (sessionsNotCreated === 0) return `, ${attempts} to create failed`;
  return `, ${formatCount(sessionsNotCreated)} not created (${attempts} to create failed)`;
}

function outcomesText({ turns }: Live): string {
  const shown = turnClassNames.filter((name) => turns[name] > 0 && name !== 'ok');
  return [`ok ${formatCount(turns.ok)}`, ...shown.map((name) => `${name} ${formatCount(turns[name])}`)].join(', ');
}

/** Formats the time left; '' if it is unknown or rounds to zero. */
const leftText = (restMs = 0): string => (restMs < 500 ? '' : `about ${formatElapsed(restMs)} left`);

const retriesText = ({ retries }: Live): string => `${formatCount(retries)} ${retries === 1 ? 'retry' : 'retries'}`;

/** Replaces characters that move the cursor, keeping the width of the text. */
const clean = (line: string): string => line.replace(unclean, ' ');
const unclean = new RegExp(notJoining('\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}'), 'gu');

function bar(share: number, width: number): string {
  const full = Math.round(share * Math.max(10, width));
  return `${'█'.repeat(full)}${'░'.repeat(Math.max(10, width) - full)}`;
}
