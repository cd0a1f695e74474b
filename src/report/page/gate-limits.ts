import type { GateVerdict } from '../../result/gates/gates.ts';
import type { Result } from '../../result/result.ts';
import type { Figure, Limit } from './page.ts';

/** Gate on a metric, with its limit as a line of a chart. */
export interface GateLimit extends Limit {
  metric: string;
}

/** Returns the gates of all runs on any of these metrics, each once. */
export function gateLimits(results: readonly Pick<Result, 'gates'>[], metrics: readonly string[]): GateLimit[] {
  const gates = results.flatMap((result) => gatesOn(result, metrics));
  return [...new Map(gates.map((gate) => [labelOf(gate), gate])).values()].map((gate) => ({
    metric: gate.metric,
    value: gate.limit,
    label: labelOf(gate),
  }));
}

/** Adds the verdict and the limits of the gates on a figure; returns the figure unchanged if it has no gates. */
export function judgedFigure(result: Pick<Result, 'gates'>, metrics: readonly string[], figure: Figure): Figure {
  const gates = gatesOn(result, metrics);
  if (gates.length === 0) return figure;
  const limits = gates.map(({ metric, condition }) => (gates.length === 1 ? condition : `${metric} ${condition}`));
  return {
    ...figure,
    detail: [figure.detail, `gate ${limits.join(', ')}`].filter((text) => text !== '').join('; '),
    state: gates.every(({ verdict }) => verdict === 'pass') ? 'good' : 'bad',
  };
}

const gatesOn = ({ gates }: Pick<Result, 'gates'>, metrics: readonly string[]): GateVerdict[] =>
  gates.filter(({ metric }) => metrics.includes(metric));

const labelOf = ({ metric, condition }: GateVerdict): string => `${metric} ${condition}`;
