import { closestMatch } from 'leven';
import { z } from 'zod';
import { readDuration } from '../scenario/duration.ts';
import { text } from './field.ts';
import { verdicts } from './judge-validity.ts';
import { metricNamed, metrics } from './metrics.ts';
import type { Metric, MetricUnit, Published } from './metric.ts';

const operators = ['<', '<=', '>', '>='] as const;
type Operator = (typeof operators)[number];

/** A pass/fail condition on a result. */
export interface Gate {
  metric: Metric;
  /** As it was written. */
  condition: string;
  operator: Operator;
  /** In the metric's unit. */
  limit: number;
}

export const gateVerdictSchema = z.object({
  metric: text('The figure that is judged'),
  condition: text('What it has to fulfil, as it was written'),
  unit: z
    .enum(['ms', 'share', 'perSecond', 'ratio', 'count', 'perHour', 'verdict'])
    .describe('The unit of actual and limit'),
  limit: z.number().describe('The number in the condition, in the unit (a verdict: invalid 0, degraded 1, valid 2)'),
  actual: z.number().nullable().describe('What it was, in the unit; null when there is none or it is infinite'),
  infinite: z.boolean().describe('Whether it is infinite: the percentile falls among failed turns'),
  verdict: z.enum(['pass', 'fail', 'no-data']).describe('no-data: there was nothing to judge; a failure too'),
  reason: z.string().nullable().describe('Why there was nothing to judge; null when there was'),
});
export type GateVerdict = z.infer<typeof gateVerdictSchema>;

/** Reads a gate, such as `'turn.p95'` and `'< 2s'`; or tells what is wrong with it. */
export function readGate(metricName: string, condition: string): { ok: Gate } | { problem: string } {
  const metric = metricNamed(metricName);
  if (metric === undefined) return { problem: unknownMetric(metricName) };
  const match = /^(<=|>=|<|>)\s*(\S.*)$/.exec(condition.trim());
  const operator = operators.find((each) => each === match?.[1]);
  const limit = readers[metric.unit](match?.[2] ?? '');
  if (operator !== undefined && limit !== undefined) return { ok: { metric, condition, operator, limit } };
  return {
    problem: `gate '${metricName}': expected a condition such as '${examples[metric.unit]}', got '${condition}'`,
  };
}

/** Judges gates by the figures of a result. Without a value there is no pass. */
export const judgeGates = (gates: readonly Gate[], result: Published): GateVerdict[] =>
  gates.map((gate) => judgeGate(gate, result));

function judgeGate({ metric, condition, operator, limit }: Gate, result: Published): GateVerdict {
  const reading = metric.read(result);
  const base = { metric: metric.name, condition, unit: metric.unit, limit };
  if (reading.value === null)
    return { ...base, actual: null, infinite: false, verdict: 'no-data', reason: reading.reason };
  const infinite = reading.value === Infinity;
  const verdict = holds(reading.value, operator, limit) ? 'pass' : 'fail';
  return { ...base, actual: infinite ? null : reading.value, infinite, verdict, reason: null };
}

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

/** How the number of a condition is written, by unit. */
const readers: Readonly<Record<MetricUnit, (text: string) => number | undefined>> = {
  ms: readDuration,
  share: (text) => (text.endsWith('%') ? scaled(text.slice(0, -1), 100) : undefined),
  perSecond: (text) => readNumber(text.replace(/\s*\/\s*s$/, '')),
  ratio: readNumber,
  count: readNumber,
  perHour: readPerHour,
  verdict: (text) => {
    const index = verdicts.findIndex((verdict) => verdict === text);
    return index === -1 ? undefined : index;
  },
};

const examples: Readonly<Record<MetricUnit, string>> = {
  ms: '< 250ms',
  share: '< 1%',
  perSecond: '>= 20/s',
  ratio: '< 1.2',
  count: '< 5',
  perHour: '< 2%/h',
  verdict: '>= degraded',
};

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

function unknownMetric(given: string): string {
  const name = given.slice(0, 100);
  const nearest = closestMatch(
    name,
    metrics.map((metric) => metric.name),
  );
  return `unknown metric '${name}': did you mean '${String(nearest)}'?`;
}
