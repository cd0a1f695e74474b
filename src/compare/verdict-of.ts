import { excerpt } from '../base/excerpt.ts';
import { listFirst } from '../base/list-first.ts';
import { printable } from '../base/printable.ts';
import { moveInWords } from './change-words.ts';
import type { Comparability, Comparison, MetricComparison } from './document/comparison.ts';
import { inconclusiveText } from './inconclusive-text.ts';
import { causeInWords, ungatedTail } from './throughput-words.ts';

/** The verdict over the metrics that decide: the worst of theirs. */
export function verdictOf(metrics: readonly MetricComparison[]): Exclude<Comparison['verdict'], 'not_comparable'> {
  const verdicts = metrics.filter(decides).map(({ verdict }) => verdict);
  if (verdicts.includes('regressed')) return 'regressed';
  if (verdicts.includes('improved')) return 'improved';
  return verdicts.length > 0 && verdicts.every((verdict) => verdict === 'unchanged') ? 'unchanged' : 'inconclusive';
}

/** What a verdict says. */
type Found = Pick<Comparison, 'verdict' | 'metrics' | 'comparability' | 'broken' | 'head' | 'design'>;

/** The source of the noise where the runs do not show it: a history, or an assumption. */
export interface NoiseBasis {
  /** `One sitting a side`. */
  side: string;
  /** Of what the noise is. */
  of: 'runs' | 'sittings';
  hasHistory: boolean;
  /** In the history, apart from those compared; `null` where there is none. */
  otherSittings: number | null;
  /** The standard deviation that was assumed, as a share; `null` where nothing was. */
  assumedNoise: number | null;
}

/**
 * The verdict in words; what limits it comes first. `basis`: `null` where the runs themselves show the noise between
 * them.
 */
export function sayVerdict(found: Found, basis: NoiseBasis | null): string {
  const { comparability, verdict } = found;
  const limits = [
    ...(basis === null ? [] : [sayBasis(basis)]),
    ...(comparability.forced ? [`Forced, though not comparable (${keysOf(comparability)}).`] : []),
  ];
  return [...(verdict === 'not_comparable' ? [] : limits), sayFinding(found)].join(' ');
}

/** The finding, without its limits; `most`: the most metrics that are named. */
export function sayFinding(found: Found, most = Infinity): string {
  if (found.verdict === 'not_comparable') return sayRefusal(found.comparability);
  return sentences[found.verdict](found.metrics.filter(decides), found, most);
}

const decides = ({ isGated, verdict }: MetricComparison): boolean => isGated && verdict !== 'no_data';

function sayRefusal({ refusals }: Comparability): string {
  const [first] = refusals;
  const more = refusals.length - 1;
  const rest = more > 0 ? `, and ${String(more)} more ${more === 1 ? 'difference' : 'differences'}` : '';
  if (first === undefined) return 'Not comparable.';
  const [base, head] = [first.base, first.head].map((value) => excerpt(value, printable, longestValue));
  return `Not comparable: ${printable(first.message)} (base ${String(base)}, head ${String(head)})${rest}.`;
}

/** Longest value in the summary; refusals contain the whole. */
const longestValue = 80;

const keysOf = ({ refusals }: Comparability): string => [...new Set(refusals.map(({ key }) => key))].join(', ');

function sayBasis({ side, of, hasHistory, otherSittings, assumedNoise }: NoiseBasis): string {
  const lack = otherSittings === null ? 'no history' : `too short a history (${countOf(otherSittings)})`;
  if (assumedNoise === null) return hasHistory ? `${side} relies only on the history.` : `${side} and ${lack}.`;
  const why = hasHistory ? ' relies on the history; where that is too short' : ` and ${lack}:`;
  const size = `${String(Number((assumedNoise * 100).toPrecision(3)))} % (standard deviation, --assume-noise)`;
  return `${side}${why} ${of} are assumed to differ by ${size}.`;
}

const countOf = (sittings: number): string => `${String(sittings)} other ${sittings === 1 ? 'sitting' : 'sittings'}`;

type Metrics = readonly MetricComparison[];

const sentences: Readonly<
  Record<Exclude<Comparison['verdict'], 'not_comparable'>, (deciding: Metrics, found: Found, most: number) => string>
> = {
  regressed: (deciding, found, most) => {
    const worse = [...brokenInWords(found), ...movesOf(deciding, 'regressed', found)];
    const better = movesOf(deciding, 'improved', found);
    const moved = `${listFirst(worse, most)}${tail('; improved: ', listFirst(better, most))}`;
    return `Regressed: ${moved}${tail('; ', ungatedTail(deciding, found.metrics))}.`;
  },
  improved: (deciding, found, most) => {
    const better = listFirst(movesOf(deciding, 'improved', found), most);
    return `Improved: ${better}; no deciding metric regressed${tail('; ', ungatedTail(deciding, found.metrics))}.`;
  },
  unchanged: () => 'Unchanged: every deciding metric is shown to be within its margin.',
  inconclusive: (deciding, { design }, most) => inconclusiveText(deciding, design, most),
};

/** Runs of the head that the service broke, with what it did to the first of them. */
function brokenInWords({ broken, head }: Found): string[] {
  const [first] = broken;
  if (first === undefined) return [];
  const runs = `${String(broken.length)} of ${String(head.runs.length)} runs of the head`;
  return [`the service broke ${runs} (${first.reason})`];
}

const tail = (lead: string, text: string): string => (text === '' ? '' : lead + text);

const movesOf = (deciding: Metrics, verdict: MetricComparison['verdict'], { metrics }: Found): string[] =>
  deciding
    .filter((metric) => metric.verdict === verdict)
    .map((metric) => causeInWords(metric, metrics) ?? moveInWords(metric));
