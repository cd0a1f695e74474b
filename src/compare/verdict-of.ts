import type { Comparability, Comparison, MetricComparison } from './comparison.ts';

/** The verdict over the metrics that decide: the worst news, and nothing better than what is shown of all of them. */
export function verdictOf(metrics: readonly MetricComparison[]): Exclude<Comparison['verdict'], 'not_comparable'> {
  const verdicts = metrics.filter(decides).map(({ verdict }) => verdict);
  if (verdicts.includes('regressed')) return 'regressed';
  if (verdicts.includes('improved')) return 'improved';
  return verdicts.length > 0 && verdicts.every((verdict) => verdict === 'unchanged') ? 'unchanged' : 'inconclusive';
}

/** What a verdict rests on. */
export interface Told {
  verdict: Comparison['verdict'];
  metrics: readonly MetricComparison[];
  comparability: Comparability;
  /** Each side is one run or sitting, so that nothing but history tells the noise; `null` where there are more. */
  alone: { what: 'run' | 'sitting'; isHistoryUsed: boolean } | null;
}

/** The verdict in words; what limits it comes first. */
export function sayVerdict(told: Told): string {
  const { alone, comparability, verdict } = told;
  if (verdict === 'not_comparable') return sayRefusal(comparability);
  const limits = [
    ...(alone === null ? [] : [sayHistory(alone)]),
    ...(comparability.forced ? [`Forced, though not comparable (${keysOf(comparability)}).`] : []),
  ];
  return [...limits, sentences[verdict](told.metrics.filter(decides))].join(' ');
}

const decides = ({ isGated, verdict }: MetricComparison): boolean => isGated && verdict !== 'no_data';

function sayRefusal({ refusals }: Comparability): string {
  const [first] = refusals;
  const more = refusals.length - 1;
  const rest = more > 0 ? `, and ${String(more)} more ${more === 1 ? 'difference' : 'differences'}` : '';
  return first === undefined
    ? 'Not comparable.'
    : `Not comparable: ${first.message} (base ${first.base}, head ${first.head})${rest}.`;
}

const keysOf = ({ refusals }: Comparability): string => [...new Set(refusals.map(({ key }) => key))].join(', ');

const sayHistory = ({ what, isHistoryUsed }: NonNullable<Told['alone']>): string =>
  `One ${what} a side works through the history alone${isHistoryUsed ? '.' : ', and there is none to go by.'}`;

const sentences: Readonly<
  Record<Exclude<Comparison['verdict'], 'not_comparable'>, (deciding: readonly MetricComparison[]) => string>
> = {
  regressed: (deciding) =>
    `Regressed: ${listOf(deciding, 'regressed')}${tail('; improved: ', listOf(deciding, 'improved'))}.`,
  improved: (deciding) => `Improved: ${listOf(deciding, 'improved')}; nothing that decides regressed.`,
  unchanged: () => 'Unchanged: every metric that decides is shown to lie within its margin.',
  inconclusive: sayDoubt,
};

const tail = (lead: string, text: string): string => (text === '' ? '' : lead + text);

function listOf(metrics: readonly MetricComparison[], verdict: MetricComparison['verdict']): string {
  return metrics
    .filter((metric) => metric.verdict === verdict)
    .map(({ name, change, unit }) => (change === null ? name : `${name} ${changeInWords(change, unit)}`))
    .join(', ');
}

function changeInWords(change: number, unit: MetricComparison['unit']): string {
  const size = Math.abs(change) * 100;
  const digits = size >= 99.95 ? 0 : unit === 'share' && size < 9.995 ? 2 : 1;
  return `${change < 0 ? '−' : '+'}${size.toFixed(digits)} ${unit === 'share' ? 'pp' : '%'}`;
}

function sayDoubt(deciding: readonly MetricComparison[]): string {
  if (deciding.length === 0) return 'Inconclusive: no metric that decides has enough data.';
  const open = deciding.filter(({ verdict }) => verdict === 'inconclusive');
  const names = open.map(({ name }) => name).join(', ');
  const needed = Math.max(...open.map(({ runsNeeded }) => runsNeeded ?? 0));
  const way = needed > 0 ? `; about ${needed.toLocaleString('en-US')} runs a side would decide` : '';
  return `Inconclusive: no regression is shown, nor its absence for ${names}${way}.`;
}
