import { printableTexts } from '../../base/printable.ts';
import type { Forecast } from '../../plan/forecast.ts';
import type { Plan } from '../../plan/plan.ts';
import { outlookText } from '../comparison/comparison-outlook.ts';
import { countOf, formatCount, formatMs, formatNumber, formatRate } from '../words/format.ts';
import { coresText } from './core-words.ts';
import { gateText, loadText, retryText, scheduleText, seedText, stopText, thinkText, turnsText } from './plan-words.ts';
import { conversationRows, promptRows } from './conversation-rows.ts';
import type { PlanView, SessionPreview } from './plan-document.ts';
import { shortageLines, socketRows } from './socket-lines.ts';
import { requestText } from './request-words.ts';
import { wayText } from '../words/way-text.ts';
import { renderTable, type Style } from '../words/table.ts';
import { cut } from '../words/width.ts';

/** Renders what a run would do, as text for a terminal. */
export function renderPlan(view: PlanView, style: Style): string {
  const shown = printableTexts(view);
  const { plan, forecast, cores, sockets, comparison, preview, shortGates } = shown;
  const { colors } = style;
  const { bold, dim } = colors;
  const facts: [string, string][] = [
    ['target', (plan.target.baseUrl ?? 'the embedded reference service') + wayText(plan.target)],
    ['protocol', protocolText(shown)],
    ['requests', requestText(plan)],
    ['sessions', sessionsLine(plan, forecast)],
    ['turns', turnsLine(plan, forecast)],
    ...conversationRows(plan),
    ...promptRows(plan),
    ['load', loadText(plan)],
    ['schedule', scheduleText(plan)],
    ['duration', durationLine(plan, forecast)],
    ['at the peak', peakLine(forecast)],
    ...(cores === null ? [] : ([['cores', coresText(cores)]] satisfies [string, string][])),
    ...socketRows(sockets, plan),
    ['think time', thinkText(plan)],
    ['retries', retryText(plan)],
    ['gates', gateText(plan)],
    ...shortGates.map((text): [string, string] => ['', colors.yellow(text)]),
    ['stops early', stopText(plan, forecast)],
    ['seed', seedText(plan)],
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
    ...preview.flatMap((session) => [previewText(session, plan, style), '']),
  ].join('\n');
}

/** How the service is spoken to: `openai-chat, POST /v1/chat/completions, model gpt-x, streamed`. */
function protocolText({ plan: { target }, routes }: PlanView): string {
  const agent = target.agentId === '' ? [] : [`agent or model ${target.agentId}`];
  const paths = routes.creation === null ? routes.message : `${routes.creation}, then ${routes.message}`;
  return [target.protocol, paths, ...agent, target.stream ? 'streamed' : 'not streamed'].join(', ');
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

function turnsLine(plan: Plan, { turns, sessions }: Forecast): string {
  if (turns === null || sessions === null) return turnsText(plan);
  const most = plan.messages.branches === true ? 'at most ' : '';
  return `${most}${formatCount(turns)}, ${formatNumber(turns / sessions)} per session on average`;
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
    peakTurnsPerSecond === null ? 'as many turns/s as the service answers' : formatRate(peakTurnsPerSecond, 'turn');
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

function previewText(
  { number, turns, variableValues, messages }: SessionPreview,
  { messages: { branches } }: Plan,
  { colors, width }: Style,
): string {
  const head = `session ${String(number)}, ${branches === true ? 'at most ' : ''}${countOf(turns, 'turn')}`;
  const values = variableValues === undefined ? [] : [cut(`  with ${variableValues}`, width)];
  return [
    colors.bold(head),
    ...values,
    ...messages.map((message, index) => cut(`  ${String(index + 1)}. ${message}`, width)),
    ...(branches === true && turns > 1 ? [colors.dim('  What follows depends on the replies.')] : []),
  ].join('\n');
}
