import { listFirst } from '../base/list-first.ts';
import type { Comparison, MetricComparison } from './document/comparison.ts';

type Metrics = readonly MetricComparison[];

/** What is not decided, and what would decide it; `most`: the most metrics that are named. */
export function inconclusiveText(deciding: Metrics, design: Comparison['design'], most: number): string {
  if (deciding.length === 0) return 'Inconclusive: no deciding metric has enough data.';
  const open = deciding.filter(({ verdict }) => verdict === 'inconclusive');
  const names = open.map(({ name }) => name);
  const found = `Inconclusive: neither a regression nor its absence is shown for ${listFirst(names, most)}`;
  if (open.some(({ isNoiseAssumed }) => isNoiseAssumed))
    return `${found}; interleave the sides (chat-load ab) to see smaller changes.`;
  return `${found}${neededText(open, design)}.`;
}

/** Users wait for the percentiles of turns and see failures; means, attempts and creations matter less to them. */
const byConcern: readonly ((metric: MetricComparison) => boolean)[] = [
  ({ name }) => /^turn\.ok\.p\d/.test(name),
  ({ unit }) => unit === 'share',
  () => true,
];

/** How many runs would decide the metric that matters most to users, of several alike the one that takes most; '' if unknown. */
function neededText(open: Metrics, { unit }: Comparison['design']): string {
  const known = open.flatMap(({ runsNeeded, ...metric }) => (runsNeeded === null ? [] : [{ ...metric, runsNeeded }]));
  const alike = byConcern.map((isOf) => known.filter(isOf)).find(({ length }) => length > 0) ?? [];
  const [widest] = alike.toSorted((a, b) => b.runsNeeded - a.runsNeeded);
  if (widest === undefined) return '';
  const noun = unit === 'sitting' ? 'sittings' : 'runs';
  const metric = open.length === 1 ? 'it' : widest.name;
  return `; about ${widest.runsNeeded.toLocaleString('en-US')} ${noun} per side would decide ${metric}`;
}
