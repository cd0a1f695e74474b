import { z } from 'zod';
import type { Plan } from '../../plan/plan.ts';
import { text, numberOrNull, flag, textOrNull } from '../../base/field.ts';
import { metricNamed } from '../metrics/metrics.ts';
import { unknownMetric } from '../metrics/unknown-metric.ts';
import { metricUnits, type Metric, type Published, type MetricUnit } from '../metrics/metric.ts';
import { formatMs, formatNumber, formatShare } from '../../base/format.ts';
import type { Recorder } from '../../record/recorder.ts';
import type { SeriesName } from '../../record/series.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import { assembleSections } from '../assembly/assemble-sections.ts';
import { measuredMs } from '../sections/figures.ts';
import { resolutionField, toResolution } from '../sections/latency-summary.ts';
import { readDuration } from '../../scenario/duration.ts';
import { verdicts } from '../validity/judge-validity.ts';

export const operators = ['<', '<=', '>', '>='] as const;
export type Operator = (typeof operators)[number];

interface ConditionForm {
  read: (text: string) => number | undefined;
  form: string;
  examples: readonly [string, ...string[]];
}

export const conditionForms: Readonly<Record<MetricUnit, ConditionForm>> = {
  ms: { read: readDuration, form: 'a number and `ms`, `s`, `m`, `h` or `d`', examples: ['< 250ms', '<= 1.5s'] },
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
  cost: { read: readNumber, form: 'a number, in the currency of the run', examples: ['< 0.02'] },
  perHour: {
    read: readPerHour,
    form: 'a number, which may be negative, and `%/h`: the change per hour',
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

/** Parses a signed share per hour: `2%/h`, `-2%/h`. */
function readPerHour(text: string): number | undefined {
  const [, sign, percent = ''] = /^(-?)(\S+)\s*%\s*\/\s*h$/.exec(text) ?? [];
  const share = scaled(percent, 100);
  return share === undefined || sign === '' ? share : -share;
}

function scaled(text: string, by: number): number | undefined {
  const number = readNumber(text);
  return number === undefined ? undefined : number / by;
}

export interface Gate {
  metric: Metric;
  condition: string;
  operator: Operator;
  limit: number;
  /** True if the whole confidence interval must meet the condition, not only the figure. */
  isConfident: boolean;
}

export const gateVerdictSchema = z.object({
  metric: text('Name of the judged metric'),
  condition: text('Condition, as written in the scenario'),
  unit: z.enum(metricUnits).describe('Unit of actual and limit'),
  limit: z.number().describe('Limit of the condition, in the unit (verdicts: invalid 0, degraded 1, valid 2)'),
  actual: numberOrNull('Value in the unit; null if there is none or it is infinite'),
  infinite: flag('True if the value is infinite: the percentile falls among failed turns'),
  confident: flag('True if the end of the 95 % confidence interval was compared with the limit'),
  interval: z
    .object({
      low: z.number().describe('Lower end, in the unit'),
      high: numberOrNull('Upper end, in the unit; null when it is infinite'),
    })
    .nullable()
    .describe(
      '95 % confidence interval that a confident gate was judged by; null for other gates, and without an interval',
    ),
  errorMs: numberOrNull(
    'Measurement error: the true value is at most this much lower; null if it is not known',
  ).default(null),
  resolutionMs: resolutionField,
  verdict: z
    .enum(['pass', 'fail', 'no-data'])
    .describe('no-data: there was nothing to judge, which counts as a failure'),
  reason: textOrNull('Reason for no-data; null otherwise'),
});
export type GateVerdict = z.infer<typeof gateVerdictSchema>;

/** Parses a gate, such as `'turn.p95'` and `'< 2s'`, or returns its problem. */
export function readGate(
  metricName: string,
  condition: string,
  isConfident = false,
): { ok: Gate } | { problem: string } {
  const metric = metricNamed(metricName);
  if (metric === undefined) return { problem: unknownMetric(metricName) };
  if (isConfident && metric.readInterval === undefined)
    return { problem: `gate '${metricName}': only percentiles have a confidence interval: remove confident` };
  const match = /^(<=|>=|<|>)\s*(\S.*)$/.exec(condition.trim());
  const operator = operators.find((each) => each === match?.[1]);
  const limit = conditionForms[metric.unit].read(match?.[2] ?? '');
  if (operator !== undefined && limit !== undefined) return { ok: { metric, condition, operator, limit, isConfident } };
  const { examples, form } = conditionForms[metric.unit];
  const lacksUnit = operator !== undefined && readNumber(match?.[2] ?? '') !== undefined;
  return {
    problem: `gate '${metricName}': expected a condition such as '${examples[0]}', got '${condition}'${lacksUnit ? `: the unit is missing (${form})` : ''}`,
  };
}

/** Returns the problem of a gate's metric or condition; `undefined` for a valid gate. */
export function problemOfGate(metric: string, condition: string): string | undefined {
  const read = readGate(metric, condition);
  return 'problem' in read ? read.problem : undefined;
}

export function problemOfMetric(name: string): string | undefined {
  return metricNamed(name) === undefined ? unknownMetric(name) : undefined;
}

export function readGates({ gates, confidentGates }: Pick<Plan, 'gates' | 'confidentGates'>) {
  return Object.entries(gates).map(([metric, condition]) => ({
    metric,
    ...readGate(metric, condition, confidentGates.includes(metric)),
  }));
}

/** Judges gates by the figures of a result. A gate without a value does not pass. */
export function judgeGates(gates: readonly Gate[], result: Published): GateVerdict[] {
  return gates.map((gate) => (gate.isConfident ? judgeInterval(gate, result) : judgeGate(gate, result)));
}

function judgeGate(gate: Gate, result: Published): GateVerdict {
  const reading = gate.metric.read(result);
  if (reading.value === null) return { ...baseOf(gate), ...noData, reason: reading.reason };
  const infinite = reading.value === Infinity;
  const resolutionMs = gate.metric.readResolution?.(result);
  const value = toResolution(reading.value, resolutionMs);
  const verdict = verdictOn(value, gate);
  const errorMs = gate.metric.readError?.(result) ?? null;
  const actual = infinite ? null : value;
  const precision = { errorMs, ...(resolutionMs !== undefined && { resolutionMs }) };
  return { ...baseOf(gate), actual, infinite, ...precision, verdict, reason: null, interval: null };
}

/** Judges a confident gate by the end of the interval nearer to the limit, if the figure has a value. */
function judgeInterval(gate: Gate, result: Published): GateVerdict {
  const judged = judgeGate(gate, result);
  if (judged.infinite) return judged;
  const range = gate.metric.readInterval?.(result) ?? { low: null, reason: 'it has no confidence interval' };
  if (range.low === null) return { ...baseOf(gate), ...noData, reason: range.reason };
  const end = gate.operator.startsWith('<') ? range.high : range.low;
  const interval = { low: range.low, high: range.high === Infinity ? null : range.high };
  return { ...judged, verdict: verdictOn(toResolution(end, judged.resolutionMs), gate), interval };
}

const baseOf = ({ metric, condition, limit, isConfident }: Gate) => ({
  metric: metric.name,
  condition,
  unit: metric.unit,
  limit,
  confident: isConfident,
});

const noData = { actual: null, infinite: false, errorMs: null, verdict: 'no-data', interval: null } as const;

const comparisons: Readonly<Record<Operator, (actual: number, limit: number) => boolean>> = {
  '<': (actual, limit) => actual < limit,
  '<=': (actual, limit) => actual <= limit,
  '>': (actual, limit) => actual > limit,
  '>=': (actual, limit) => actual >= limit,
};

const verdictOn = (actual: number, { operator, limit }: Gate): 'pass' | 'fail' =>
  comparisons[operator](actual, limit) ? 'pass' : 'fail';

/** Reports whether a gate fails, but would pass without the measurement error: its limit lies between the figure and the figure less its error. */
export function failsWithinError({ condition, limit, actual, errorMs, verdict }: GateVerdict): boolean {
  const isMaximum = condition.trim().startsWith('<');
  return verdict === 'fail' && isMaximum && actual !== null && errorMs !== null && actual - errorMs < limit;
}

/** Describes the first gate with `abort` that fails on the data so far; `undefined` if none does, or if it is too early. */
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

/** Returns the reason why a gate cannot stop a run; `undefined`: it can. */
export function problemOfAbortGate(metric: string): string | undefined {
  return metricNamed(metric)?.isKnownAtEnd
    ? 'cannot stop a run, because it is only known at its end: remove abort'
    : undefined;
}

/** Returns the series that a metric is read from: for `turn.p95` all positions, for `turns.failedShare` none. */
const seriesOf = (metric: string): readonly SeriesName[] => metricNamed(metric)?.series ?? [];

/** Returns the figures for gates during a run, whose validity is only known at its end. */
const publishedSoFar = (plan: Plan, snapshot: Snapshot): Published =>
  Object.assign(assembleSections(plan, snapshot, 'soFar'), {
    validity: { verdict: 'valid' as const, reasons: [] },
    scenario: { plan },
  });

function show({ actual, unit, infinite }: GateVerdict): string {
  if (infinite || actual === null) return 'infinite';
  if (unit === 'share') return formatShare(actual);
  return unit === 'ms' ? formatMs(actual) : formatNumber(actual);
}
