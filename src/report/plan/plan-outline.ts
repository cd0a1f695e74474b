import { printableTexts } from '../../base/printable.ts';
import type { Forecast } from '../../plan/forecast.ts';
import type { Plan } from '../../plan/plan.ts';
import { asIs, headless, made, text, type Section } from '../outline/outline.ts';
import type { Report } from '../outline/report.ts';
import { outlookRows } from './outlook-text.ts';
import { countOf, formatCount, formatMs, formatNumber, formatRate, shellWord } from '../../base/format.ts';
import {
  coresText,
  modelServiceText,
  gateText,
  loadText,
  retryText,
  scheduleText,
  seedText,
  stopText,
  thinkText,
  turnsText,
  requestText,
} from './plan-text.ts';
import type { PlanView, SessionPreview } from './plan-document.ts';
import { shortageLines, socketRows } from './socket-text.ts';
import { modelKind, routeText } from '../words/target-text.ts';
import type { Style } from '../words/table.ts';
import { cut } from '../words/width.ts';
import { traceWarnings } from '../../result/warnings/trace-warnings.ts';

export const planReport: Report<PlanView> = { outline: planOutline };

function planOutline(view: PlanView): Section[] {
  const shown = printableTexts(view);
  const { plan, sockets, comparison, preview } = shown;
  return [
    { blocks: [asIs(`${plan.name}: plan of a run. Nothing was sent.`, 'bold')] },
    { blocks: [headless(({ colors }) => planRows(shown, colors))] },
    { blocks: [text(assumptionLine(view), 'dim')] },
    {
      blocks: [
        asIs('Comparing two runs of this plan:', 'bold'),
        headless(({ colors }) => outlookRows(comparison).map(([name, words]) => [colors.dim(name), words])),
      ],
    },
    { blocks: [made((style) => shortageLines(sockets, plan, style))] },
    ...preview.map((session) => ({ blocks: [made((style) => previewText(session, plan, style))] })),
  ];
}

function planRows(view: PlanView, { dim, yellow }: Style['colors']): string[][] {
  const { plan, forecast, cores, sockets, shortGates } = view;
  const rows: (readonly [name: string, text: string])[] = [
    ['target', (plan.target.baseUrl ?? 'the embedded reference service') + routeText(plan.target)],
    ['protocol', protocolText(view)],
    ...agentRows(view),
    ['requests', requestText(plan)],
    ['sessions', sessionsLine(plan, forecast)],
    ['turns', turnsLine(plan, forecast)],
    ...conversationRows(plan),
    ...promptRows(plan),
    ['load', loadText(plan)],
    ...traceWarnings(plan).map(({ message, remedy }) => ['', yellow(`${message} ${String(remedy)}`)] as const),
    ['schedule', scheduleText(plan)],
    ['duration', durationLine(plan, forecast)],
    ...(plan.warmUpMs === 0 ? [] : [['warm-up', `${formatMs(plan.warmUpMs)}, excluded from every figure`] as const]),
    ['at the peak', peakLine(forecast)],
    ...(cores === null ? [] : [['cores', coresText(cores)] as const]),
    ...socketRows(sockets, plan),
    ['think time', thinkText(plan)],
    ['retries', retryText(plan)],
    ...pricesRows(plan),
    ['gates', gateText(plan)],
    ...shortGates.map((words) => ['', yellow(words)] as const),
    ['stops early', stopText(plan, forecast)],
    ['seed', seedText(plan)],
  ];
  return rows.map(([name, words]) => [dim(name), words]);
}

/** Lists the command that starts the agent, and the model service behind it. */
const agentRows = ({ plan: { model }, start }: PlanView): (readonly [string, string])[] => [
  ...(start === null ? [] : [['agent', `started for the run: ${start.map(shellWord).join(' ')}`] as const]),
  ...(model === undefined ? [] : [['model', modelServiceText(model, start !== null)] as const]),
];

const pricesRows = ({ prices }: Plan): (readonly [string, string])[] =>
  prices === null
    ? []
    : [
        [
          'prices',
          `${countOf(prices.models, 'model')}, ${prices.currency}${prices.asOf === null ? '' : `, as of ${prices.asOf}`}`,
        ],
      ];

/** Describes protocol, paths and model: `openai-chat, POST /v1/chat/completions, model gpt-x, streaming`. */
function protocolText({ plan: { target }, routes }: PlanView): string {
  const agent = target.agentId === '' ? [] : [`${modelKind(target.protocol)} ${target.agentId}`];
  const paths = routes.creation === null ? routes.message : `${routes.creation}, then ${routes.message}`;
  return [target.protocol, paths, ...agent, target.stream ? 'streaming' : 'not streamed'].join(', ');
}

function sessionsLine(plan: Plan, forecast: Forecast): string {
  if (plan.sessions === null)
    return forecast.sessions === null ? 'unknown: depends on the service' : `about ${formatCount(forecast.sessions)}`;
  const note =
    forecast.sessions !== null && forecast.sessions < plan.sessions
      ? `, of which about ${formatCount(forecast.sessions)} will start`
      : '';
  return `${formatCount(plan.sessions)}${note}`;
}

function turnsLine(plan: Plan, { turns, sessions }: Forecast): string {
  if (turns === null || sessions === null) return turnsText(plan);
  const max = plan.messages.branches === true ? 'at most ' : '';
  return `${max}${formatCount(turns)}, ${formatNumber(turns / sessions)} per session on average`;
}

function durationLine({ durationMs: planned }: Plan, { durationMs }: Forecast): string {
  const parts = [
    durationMs === null ? [] : [`about ${formatMs(durationMs)}`],
    planned === null ? [] : [`starting sessions for ${formatMs(planned)}`],
  ].flat();
  return parts.join(', ') || 'unknown: depends on the service';
}

function peakLine({ peakLiveSessions, peakTurnsInFlight, peakTurnsPerSecond }: Forecast): string {
  const pace =
    peakTurnsPerSecond === null ? 'turns/s limited only by the service' : formatRate(peakTurnsPerSecond, 'turn');
  return `${formatNumber(peakLiveSessions)} sessions live, ${formatNumber(peakTurnsInFlight)} turns in flight, ${pace}`;
}

function assumptionLine({ plan, forecast, replyMs, replySource }: PlanView): string {
  if (forecast.peakTurnsPerSecond === null)
    return 'The rate of turns cannot be forecast: without think time it depends on the service. Set an assumed reply time with --reply-time; chat-load calibrate measures it.';
  const assumed = `replies of ${formatMs(replyMs)} (${replySources[replySource]} --reply-time)`;
  const queue =
    forecast.queueMs === 0
      ? ''
      : ` The embedded service handles at most ${String(plan.embedded?.['capacity'])} requests at once, fewer than the load needs: at the peak a reply waits about ${formatMs(forecast.queueMs)} longer.`;
  return `Forecast by Little's law, assuming ${assumed} and no failures.${queue}`;
}

const replySources: Readonly<Record<PlanView['replySource'], string>> = {
  flag: 'by',
  embedded: 'the latency of the embedded service; change with',
  model: 'model.latency of the calls of a turn, without their tokens and the agent; change with',
  guess: 'a guess; set',
};

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
    ...(branches === true && turns > 1 ? [colors.dim('  Further messages depend on the replies.')] : []),
  ].join('\n');
}

function promptRows({ messages: { prompts } }: Plan): [string, string][] {
  if (prompts === undefined) return [];
  const { min, max, counted } = prompts;
  const length = `${formatCount(min)}${max === min ? '' : ` to ${formatCount(max)}`}`;
  const unit = counted === 'words' ? 'words' : `tokens (${counted})`;
  return [['prompts', `${length} ${unit}, generated from the seed`]];
}

function conversationRows({ conversations, messages }: Plan): [string, string][] {
  if (conversations === undefined) return [];
  const { file, order, merged, skipped } = conversations;
  const parts = [
    `${formatCount(messages.count)} in ${file}, ${order === 'random' ? 'drawn at random (seeded)' : 'in file order'}`,
    ...(merged === 0 ? [] : [`consecutive user messages merged into one turn in ${formatCount(merged)}`]),
    ...(skipped.lines === 0 ? [] : [`${countOf(skipped.lines, 'malformed line')} skipped (${skippedText(skipped)})`]),
  ];
  return [['conversations', parts.join('; ')]];
}

const skippedText = ({ lines, first }: NonNullable<Plan['conversations']>['skipped']): string => {
  const named = first.map(({ line, why }) => `line ${String(line)}: ${why}`);
  return [...named, ...(lines > named.length ? ['...'] : [])].join('; ');
};
