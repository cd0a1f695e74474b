import { z } from 'zod';
import type { Plan } from '../../plan/plan.ts';
import { text } from '../../base/field.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { metricNamed, metricNames } from '../metrics/metrics.ts';
import type { Metric, Published, MetricUnit } from '../metrics/metric.ts';
import { formatMs, formatNumber, formatShare } from '../../base/format.ts';
import type { Recorder } from '../../record/recorder.ts';
import type { SeriesName } from '../../record/series.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import { assembleSections } from '../assembly/assemble-sections.ts';
import { measuredMs } from '../sections/figures.ts';
import { readDuration } from '../../scenario/duration.ts';
import { verdicts } from '../validity/judge-validity.ts';

/** What a condition begins with. */
export const operators = ['<', '<=', '>', '>='] as const;
export type Operator = (typeof operators)[number];

/** How the limit of a condition is written. */
interface ConditionForm {
  /** Gives the limit in the unit; `undefined` for any other text. */
  read: (text: string) => number | undefined;
  /** In words, for the docs. */
  form: string;
  /** Whole conditions. */
  examples: readonly [string, ...string[]];
}

/** By the unit of a metric. */
export const conditionForms: Readonly<Record<MetricUnit, ConditionForm>> = {
  ms: {
    read: readDuration,
    form: 'a number and `ms`, `s`, `m`, `h` or `d`',
    examples: ['< 250ms', '<= 1.5s'],
  },
  share: {
    read: (text) => (text.endsWith('%') ? scaled(text.slice(0, -1), 100) : undefined),
    form: 'a number and `%`',
    examples: ['< 1%', '<= 0.5 %'],
  },
  perSecond: {
    read: (text) => readNumber(text.replace(/\s*\/\s*s$/, '')),
    form: 'a number, with or without `/s`',
    examples: ['>= 20/s', '> 0.5'],
  },
  ratio: { read: readNumber, form: 'a number', examples: ['< 1.2'] },
  count: { read: readNumber, form: 'a number', examples: ['< 5', '>= 1'] },
  perHour: {
    read: readPerHour,
    form: 'a number, which may be negative, and `%/h`: a change in an hour',
    examples: ['< 2%/h', '> -2%/h'],
  },
  verdict: {
    read: readVerdict,
    form: verdicts.map((verdict) => `\`${verdict}\``).join(', '),
    examples: ['>= degraded'],
  },
};

function readVerdict(text: string): number | undefined {
  const index = verdicts.findIndex((verdict) => verdict === text);
  return index === -1 ? undefined : index;
}

function readNumber(text: string): number | undefined {
  const number = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Infinity;
  return Number.isFinite(number) ? number : undefined;
}

/** A share an hour, that of what falls below zero: `2%/h`, `-2%/h`. */
function readPerHour(text: string): number | undefined {
  const [, sign, percent = ''] = /^(-?)(\S+)\s*%\s*\/\s*h$/.exec(text) ?? [];
  const share = scaled(percent, 100);
  return share === undefined || sign === '' ? share : -share;
}

function scaled(text: string, by: number): number | undefined {
  const number = readNumber(text);
  return number === undefined ? undefined : number / by;
}

/** A pass/fail condition on a result. */
export interface Gate {
  metric: Metric;
  /** As it was written. */
  condition: string;
  operator: Operator;
  /** In the metric's unit. */
  limit: number;
  /** Whether the interval of the figure has to hold, not the figure alone. */
  isConfident: boolean;
}

export const gateVerdictSchema = z.object({
  metric: text('The figure that is judged'),
  condition: text('The condition, as written in the scenario'),
  unit: z
    .enum(['ms', 'share', 'perSecond', 'ratio', 'count', 'perHour', 'verdict'])
    .describe('The unit of actual and limit'),
  limit: z.number().describe('The number in the condition, in the unit (a verdict: invalid 0, degraded 1, valid 2)'),
  actual: z.number().nullable().describe('The value, in the unit; null when there is none or it is infinite'),
  infinite: z.boolean().describe('Whether it is infinite: the percentile falls among failed turns'),
  confident: z.boolean().describe('Whether the end of the 95 % interval was compared with the limit'),
  interval: z
    .object({
      low: z.number().describe('Its lower end, in the unit'),
      high: z.number().nullable().describe('Its upper end, in the unit; null when it is infinite'),
    })
    .nullable()
    .describe('The 95 % interval that a confident gate was judged by; null for other gates, and where there is none'),
  verdict: z.enum(['pass', 'fail', 'no-data']).describe('no-data: there was nothing to judge; a failure too'),
  reason: z.string().nullable().describe('Why there was nothing to judge; null when there was'),
});
export type GateVerdict = z.infer<typeof gateVerdictSchema>;

/** Reads a gate, such as `'turn.p95'` and `'< 2s'`, or returns what is wrong with it. */
export function readGate(
  metricName: string,
  condition: string,
  isConfident = false,
): { ok: Gate } | { problem: string } {
  const metric = metricNamed(metricName);
  if (metric === undefined) return { problem: unknownName('metric', metricName, metricNames) };
  if (isConfident && metric.readInterval === undefined)
    return { problem: `gate '${metricName}': only percentiles have an interval and can be confident: leave it out` };
  const match = /^(<=|>=|<|>)\s*(\S.*)$/.exec(condition.trim());
  const operator = operators.find((each) => each === match?.[1]);
  const limit = conditionForms[metric.unit].read(match?.[2] ?? '');
  if (operator !== undefined && limit !== undefined) return { ok: { metric, condition, operator, limit, isConfident } };
  return {
    problem: `gate '${metricName}': expected a condition such as '${conditionForms[metric.unit].examples[0]}', got '${condition}'`,
  };
}

/** Reads the gates of a plan, by metric. */
export function readGates({ gates, confidentGates }: Pick<Plan, 'gates' | 'confidentGates'>) {
  return Object.entries(gates).map(([metric, condition]) => ({
    metric,
    ...readGate(metric, condition, confidentGates.includes(metric)),
  }));
}

/** Judges gates by the figures of a result. Without a value there is no pass. */
export function judgeGates(gates: readonly Gate[], result: Published): GateVerdict[] {
  return gates.map((gate) => (gate.isConfident ? judgeInterval(gate, result) : judgeGate(gate, result)));
}

function judgeGate(gate: Gate, result: Published): GateVerdict {
  const reading = gate.metric.read(result);
  if (reading.value === null) return { ...baseOf(gate), ...noData, reason: reading.reason };
  const infinite = reading.value === Infinity;
  const verdict = holds(reading.value, gate.operator, gate.limit) ? 'pass' : 'fail';
  return { ...baseOf(gate), actual: infinite ? null : reading.value, infinite, verdict, reason: null, interval: null };
}

/** The end of the interval nearer to the limit decides, if the figure itself has a value. */
function judgeInterval(gate: Gate, result: Published): GateVerdict {
  const judged = judgeGate(gate, result);
  if (judged.infinite) return judged;
  const range = gate.metric.readInterval?.(result) ?? { low: null, reason: 'it has no interval' };
  if (range.low === null) return { ...baseOf(gate), ...noData, reason: range.reason };
  const end = gate.operator.startsWith('<') ? range.high : range.low;
  const interval = { low: range.low, high: range.high === Infinity ? null : range.high };
  return { ...judged, verdict: holds(end, gate.operator, gate.limit) ? 'pass' : 'fail', interval };
}

const baseOf = ({ metric, condition, limit, isConfident }: Gate) => ({
  metric: metric.name,
  condition,
  unit: metric.unit,
  limit,
  confident: isConfident,
});

const noData = { actual: null, infinite: false, verdict: 'no-data', interval: null } as const;

function holds(actual: number, operator: Operator, limit: number): boolean {
  switch (operator) {
    case '<':
      return actual < limit;
    case '<=':
      return actual <= limit;
    case '>':
      return actual > limit;
    case '>=':
      return actual >= limit;
  }
}

/**
 * Says, `elapsedMs` after the start, which gate that stops the run fails on what was measured so far; `undefined`: none
 * does, or it is too early.
 */
export function failedAbortGate(plan: Plan, recorder: Pick<Recorder, 'closed'>, elapsedMs: number): string | undefined {
  const metrics = Object.keys(plan.abortGates);
  const snapshot = recorder.closed([...new Set(metrics.flatMap(seriesOf))]);
  const soFar = measuredMs(snapshot);
  const due = Object.entries(plan.abortGates).flatMap(([metric, { afterMs }]) => {
    const read = readGate(metric, plan.gates[metric] ?? '');
    return soFar > 0 && afterMs <= soFar && 'ok' in read ? [read.ok] : [];
  });
  if (due.length === 0) return undefined;
  const failed = judgeGates(due, publishedSoFar(plan, snapshot)).find(({ verdict }) => verdict === 'fail');
  if (failed === undefined) return undefined;
  const seen = `it was ${show(failed)} over the ${formatMs(soFar)} measured`;
  return `the gate ${failed.metric} ${failed.condition} failed at ${formatMs(elapsedMs)}: ${seen}`;
}

/** Why a gate cannot stop a run; `undefined`: it can. */
export function problemOfAbortGate(metric: string): string | undefined {
  return metricNamed(metric)?.isKnownAtEnd
    ? 'cannot stop a run: it is known only at its end. Leave abort out'
    : undefined;
}

/** The series that a metric is read from: `turn.p95` from all positions, `turns.failedShare` from none. */
const seriesOf = (metric: string): readonly SeriesName[] => metricNamed(metric)?.series ?? [];

/** What gates are judged by while a run goes on: its validity is known only at the end. */
const publishedSoFar = (plan: Plan, snapshot: Snapshot): Published =>
  Object.assign(assembleSections(plan, snapshot, 'soFar'), { validity: { verdict: 'valid' as const, reasons: [] } });

function show({ actual, unit, infinite }: GateVerdict): string {
  if (infinite || actual === null) return 'infinite';
  switch (unit) {
    case 'share':
      return formatShare(actual);
    case 'ms':
      return formatMs(actual);
    default:
      return formatNumber(actual);
  }
}
