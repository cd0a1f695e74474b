import { printableTexts } from '../../base/printable.ts';
import type { Forecast } from '../../plan/forecast.ts';
import type { Plan, RetryPolicy, Segment } from '../../plan/plan.ts';
import { meanTurns } from '../../plan/session-plan.ts';
import { outlookText } from '../comparison/comparison-outlook.ts';
import { countOf, formatCount, formatMs, formatNumber, formatPerSecond } from '../words/format.ts';
import type { PlanView, SessionPreview } from './plan-document.ts';
import { shortageLines, socketRows } from './socket-lines.ts';
import { renderTable, type Style } from '../words/table.ts';
import { cut } from '../words/width.ts';

/** Renders what a run would do, as text for a terminal. */
export function renderPlan(view: PlanView, style: Style): string {
  const { plan, forecast, sockets, comparison, preview } = printableTexts(view);
  const { bold, dim } = style.colors;
  const facts: [string, string][] = [
    ['target', plan.target.baseUrl ?? 'the embedded reference service'],
    ['sessions', sessionsLine(plan, forecast)],
    ['turns', turnsLine(plan, forecast)],
    ['load', loadLine(plan)],
    ['schedule', plan.load.segments.map((segment) => segmentLine(segment, plan)).join('; ')],
    ['duration', durationLine(plan, forecast)],
    ['at the peak', peakLine(forecast)],
    ...socketRows(sockets, plan),
    ['think time', distributionLine(plan.thinkTime)],
    ['retries', plan.retry.map(policyLine).join('; ')],
    [
      'gates',
      Object.entries(plan.gates)
        .map(
          ([metric, condition]) =>
            `${metric} ${condition}${plan.confidentGates.includes(metric) ? ' (confident)' : ''}`,
        )
        .join(', ') || 'none',
    ],
    ['stops early', stopLine(plan, forecast)],
    ['seed', `${String(plan.seed)}, scenario hash ${plan.hash.slice(0, 12)}`],
  ];
  const table = renderTable(
    [{ head: '' }, { head: '' }],
    facts.map(([name, text]) => [dim(name), text]),
    style,
  ).trimStart();
  return [
    bold(`${plan.name}: what a run would do. Nothing was sent.`),
    '',
    table,
    '',
    dim(assumptionLine(view)),
    '',
    outlookText(comparison, style),
    '',
    ...(sockets.shortages.length === 0 ? [] : [shortageLines(sockets, plan, style), '']),
    ...preview.flatMap((session) => [previewText(session, style), '']),
  ].join('\n');
}

function sessionsLine(plan: Plan, forecast: Forecast): string {
  if (plan.sessions === null)
    return forecast.sessions === null ? 'as many as the service allows' : `about ${formatCount(forecast.sessions)}`;
  const note =
    forecast.sessions !== null && forecast.sessions < plan.sessions
      ? `, of which about ${formatCount(forecast.sessions)}`
      : '';
  return `${formatCount(plan.sessions)}${note}`;
}

function turnsLine({ turns: planned }: Plan, { turns, sessions }: Forecast): string {
  if (turns === null || sessions === null) return `${formatNumber(meanTurns(planned))} per session on average`;
  return `${formatCount(turns)}, ${formatNumber(turns / sessions)} per session on average`;
}

function durationLine({ durationMs: asked }: Plan, { durationMs }: Forecast): string {
  const parts = [
    durationMs === null ? [] : [`about ${formatMs(durationMs)}`],
    asked === null ? [] : [`starting sessions for ${formatMs(asked)}`],
  ].flat();
  return parts.join(', ') || 'as long as the service takes';
}

function peakLine({ peakLiveSessions, peakTurnsInFlight, peakTurnsPerSecond }: Forecast): string {
  const pace =
    peakTurnsPerSecond === null
      ? 'as many turns/s as the service answers'
      : `${formatNumber(peakTurnsPerSecond)} turns/s`;
  return `${formatNumber(peakLiveSessions)} sessions live, ${formatNumber(peakTurnsInFlight)} turns in flight, ${pace}`;
}

function assumptionLine({ plan, forecast, replyMs, replySource }: PlanView): string {
  if (forecast.peakTurnsPerSecond === null)
    return 'The number of turns per second is unknown beforehand: without think time the service sets the pace. Assume a reply time with --reply-time; chat-load probe measures it.';
  const reply = `replies of ${formatMs(replyMs)}`;
  const assumed = replySource === 'guess' ? `${reply}, a guess: set --reply-time` : `${reply} (set --reply-time)`;
  const queue =
    forecast.queueMs === 0
      ? ''
      : ` The embedded service gives at most ${String(plan.embedded?.['capacity'])} replies at once, fewer than are asked for: at the peak a reply waits about ${formatMs(forecast.queueMs)} more.`;
  return `Forecast by Little's law: ${assumed}, no failures.${queue}`;
}

function loadLine({ load }: Plan): string {
  const cap = load.maxTurnsInFlight === null ? '' : `, at most ${countOf(load.maxTurnsInFlight, 'turn')} in flight`;
  if (load.model === 'closed') return `closed: the next session starts when one ends${cap}`;
  const arrivals =
    load.arrivals.kind === 'constant'
      ? 'constant'
      : load.arrivals.burstiness === 1
        ? 'Poisson'
        : `gamma (k = ${String(load.arrivals.burstiness)})`;
  const bound =
    load.maxConcurrency === null
      ? ''
      : `, at most ${countOf(load.maxConcurrency, 'session')} live (others ${load.whenFull === 'wait' ? 'wait' : 'are dropped'})`;
  return `open: ${arrivals} arrivals${bound}${cap}`;
}

function segmentLine({ startMs, endMs, from, to }: Segment, plan: Plan): string {
  const level = (value: number): string =>
    plan.load.model === 'open' ? formatPerSecond(value) : `${formatNumber(value)} at a time`;
  const until = endMs ?? (plan.durationMs !== null && plan.durationMs > startMs ? plan.durationMs : null);
  const span = until === null ? `from ${formatMs(startMs)} on` : `${formatMs(startMs)} to ${formatMs(until)}`;
  return `${span}: ${from === to ? level(to) : `${level(from)} up to ${level(to)}`.replace('up to', to > from ? 'up to' : 'down to')}`;
}

/** What ends the run before its load does. */
function stopLine(
  { maxDurationMs, maxTurns, maxSessions, maxCost, abortGates, stopWhen }: Plan,
  { maxTurnsMs, maxSessionsMs }: Forecast,
): string {
  const { noSuccessMs, targetGoneMs } = stopWhen;
  const about = (atMs: number | null): string => (atMs === null ? '' : ` (in about ${formatMs(atMs)})`);
  const parts = [
    maxDurationMs === null ? [] : [`after ${formatMs(maxDurationMs)}`],
    maxTurns === null ? [] : [`after ${countOf(maxTurns, 'message')}${about(maxTurnsMs)}`],
    maxSessions === null ? [] : [`after ${countOf(maxSessions, 'session')}${about(maxSessionsMs)}`],
    maxCost === null ? [] : [`at a cost of ${String(maxCost)}`],
    Object.keys(abortGates).map((metric) => `when the gate on ${metric} fails`),
    noSuccessMs === null ? [] : [`when no turn is ok for ${formatMs(noSuccessMs)}`],
    targetGoneMs === null ? [] : [`when the target is gone for ${formatMs(targetGoneMs)}`],
  ];
  return parts.flat().join(', ') || 'never';
}

function distributionLine(distribution: Plan['thinkTime']): string {
  switch (distribution.kind) {
    case 'constant':
      return distribution.ms === 0 ? 'none' : formatMs(distribution.ms);
    case 'uniform':
      return `${formatMs(distribution.minMs)} to ${formatMs(distribution.maxMs)}, uniform`;
    case 'lognormal':
      return `lognormal, median ${formatMs(distribution.medianMs)}, sigma ${String(distribution.sigma)}`;
    case 'exponential':
      return `exponential, mean ${formatMs(distribution.meanMs)}`;
  }
}

const policyLine = (policy: RetryPolicy): string =>
  policy.maxAttempts === 1
    ? `${policy.name}: one attempt`
    : `${policy.name}: up to ${countOf(policy.maxAttempts, 'attempt')}, ${formatMs(policy.baseMs)} x ${String(policy.factor)}, ${policy.jitter} jitter${policy.budget === null ? '' : `, budget ${formatNumber(policy.budget.share * 100)} %`}`;

function previewText({ number, turns, variableValues, messages }: SessionPreview, { colors, width }: Style): string {
  const head = `session ${String(number)}, ${countOf(turns, 'turn')}`;
  const values = variableValues === undefined ? [] : [cut(`  with ${variableValues}`, width)];
  return [
    colors.bold(head),
    ...values,
    ...messages.map((message, index) => cut(`  ${String(index + 1)}. ${message}`, width)),
  ].join('\n');
}
