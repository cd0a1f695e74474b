import { countOf, formatMs } from '../../base/format.ts';
import type { CallOutcome } from '../../protocol/model-call.ts';
import type { SlowTurn } from '../../record/slow-turns.ts';
import type { SpanRow, SpansBlock, Tone } from '../page/page.ts';
import { titleIn, type ShownRun } from './shown-run.ts';

/** Maximum number of turns in the chart, and of calls of an attempt. */
const maxTurns = 5;
const maxCalls = 20;

/** Meaning of the colours, in the order of the legend. */
const legend = [
  ['turn', 'neutral'],
  ['ok attempt', 'ok'],
  ['failed attempt', 'server'],
  ['ok model call', 'first'],
  ['failed model call', 'provider'],
  ['rate limited', 'rate_limited'],
  ['cancelled or open model call', 'integrity'],
] as const satisfies readonly (readonly [string, Tone])[];

/** Builds the chart of the slowest turns with their attempts and model calls; none without slow turns. */
export function waterfall(run: ShownRun, slowTurns: readonly SlowTurn[]): SpansBlock[] {
  const rows = slowTurns.slice(0, maxTurns).flatMap(turnRows);
  if (rows.length === 0) return [];
  const tones = new Set(rows.flatMap(({ spans }) => spans.map(({ tone }) => tone)));
  return [
    {
      type: 'spans',
      id: run.isOverlaid ? `slow-turns-${String(run.index + 1)}` : 'slow-turns',
      title: titleIn(run, 'Slowest turns'),
      description:
        'The slowest turns with a model call, with their attempts and the calls of each. Bars start at the first send of the turn.',
      legend: legend.filter(([, tone]) => tones.has(tone)).map(([label, tone]) => ({ label, tone })),
      rows,
    },
  ];
}

function turnRows({ session, turn, outcome, durationMs, attempts }: SlowTurn): SpanRow[] {
  const span = { fromMs: 0, toMs: durationMs, tone: 'neutral', text: outcome } as const;
  const head: SpanRow = {
    label: `session ${String(session)}, turn ${String(turn)}`,
    level: 0,
    note: `${outcome}, ${formatMs(durationMs)}`,
    spans: [span],
  };
  return [head, ...attempts.flatMap((attempt, index) => attemptRows(attempt, index + 1))];
}

type SlowAttempt = SlowTurn['attempts'][number];
type SlowCall = SlowAttempt['calls'][number];

function attemptRows(attempt: SlowAttempt, number: number): SpanRow[] {
  const { offsetMs: fromMs, durationMs, outcome, calls } = attempt;
  const endMs = fromMs + durationMs;
  const tone = outcome === 'ok' ? 'ok' : 'server';
  const omitted = calls.length - maxCalls;
  return [
    {
      label: `attempt ${String(number)}`,
      level: 1,
      note: `${outcome}, ${formatMs(durationMs)}`,
      spans: [{ fromMs, toMs: endMs, tone, text: outcome }],
    },
    ...calls.slice(0, maxCalls).map((call) => callRow(call, endMs)),
    ...(omitted > 0 ? [{ label: countOf(omitted, 'further call'), level: 2, note: '', spans: [] } as const] : []),
  ];
}

function callRow(call: SlowCall, attemptEndMs: number): SpanRow {
  const { offsetMs: fromMs, durationMs, outcome, api, model, isRepeat } = call;
  const toMs = durationMs === null ? attemptEndMs : fromMs + durationMs;
  const words = [
    ...(isRepeat ? ['repeat'] : []),
    outcome ?? 'open',
    ...(toMs > attemptEndMs ? ['after the attempt'] : []),
  ].join(', ');
  return {
    label: `${api} ${model}`,
    level: 2,
    note: durationMs === null ? words : `${words}, ${formatMs(durationMs)}`,
    spans: [{ fromMs, toMs: Math.max(fromMs, toMs), tone: toneOf(outcome), text: words }],
  };
}

const tones: Readonly<Record<CallOutcome, Tone>> = {
  ok: 'first',
  injected: 'provider',
  rate_limited: 'rate_limited',
  rejected: 'provider',
  cancelled: 'integrity',
  upstream_failed: 'provider',
  open_at_end: 'integrity',
};

const toneOf = (outcome: CallOutcome | null): Tone => (outcome === null ? 'integrity' : tones[outcome]);
