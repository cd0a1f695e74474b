import { excerpt } from '../base/excerpt.ts';
import { listFirst } from '../base/format.ts';
import { printable } from '../base/printable.ts';
import type { Comparability, Comparison, MetricComparison } from './document/comparison.ts';

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
export function sayFinding(found: Found, max = Infinity): string {
  if (found.verdict === 'not_comparable') return sayRefusal(found.comparability);
  return sentences[found.verdict](found.metrics.filter(decides), found, max);
}

const decides = ({ isGated, verdict }: MetricComparison): boolean => isGated && verdict !== 'no_data';

function sayRefusal({ refusals }: Comparability): string {
  const [first] = refusals;
  const more = refusals.length - 1;
  const rest = more > 0 ? `, and ${String(more)} more ${more === 1 ? 'difference' : 'differences'}` : '';
  if (first === undefined) return 'Not comparable.';
  const [base, head] = [first.base, first.head].map((value) => excerpt(value, printable, maxValueLength));
  return `Not comparable: ${printable(first.message)} (base ${String(base)}, head ${String(head)})${rest}.`;
}

/** Longest value in the summary; refusals contain the whole. */
const maxValueLength = 80;

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
  Record<Exclude<Comparison['verdict'], 'not_comparable'>, (deciding: Metrics, found: Found, max: number) => string>
> = {
  regressed: (deciding, found, max) => {
    const worse = [...brokenInWords(found), ...movesOf(deciding, 'regressed', found)];
    const better = movesOf(deciding, 'improved', found);
    const moved = `${listFirst(worse, max)}${tail('; improved: ', listFirst(better, max))}`;
    return `Regressed: ${moved}${tail('; ', ungatedTail(deciding, found.metrics))}.`;
  },
  improved: (deciding, found, max) => {
    const better = listFirst(movesOf(deciding, 'improved', found), max);
    return `Improved: ${better}; no deciding metric regressed${tail('; ', ungatedTail(deciding, found.metrics))}.`;
  },
  unchanged: () => 'Unchanged: every deciding metric is shown to be within its margin.',
  inconclusive: (deciding, { design }, max) => inconclusiveText(deciding, design, max),
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

/** What is not decided, and what would decide it; `most`: the most metrics that are named. */
function inconclusiveText(deciding: Metrics, design: Comparison['design'], max: number): string {
  if (deciding.length === 0) return 'Inconclusive: no deciding metric has enough data.';
  const open = deciding.filter(({ verdict }) => verdict === 'inconclusive');
  const names = open.map(({ name }) => name);
  const found = `Inconclusive: neither a regression nor its absence is shown for ${listFirst(names, max)}`;
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

const throughputName = 'rates.turnsPerSecond';

/** Under closed load the time of a turn decides how many are done: a reader looks for the time. */
const turnTimes = ['turn.ok.p50', 'turn.ok.mean'];

/** Throughput that changed since turns take more or less time than they did; `null` for anything else. */
function causeInWords(throughput: MetricComparison, all: Metrics): string | null {
  const { name, change } = throughput;
  if (name !== throughputName || change === null) return null;
  const time = turnTimes
    .flatMap((each) => all.filter((metric) => metric.name === each))
    .find((metric) => explains(metric, throughput));
  if (time?.base == null || time.head === null || time.change === null) return null;
  const span = `${timeInWords(time.base)} to ${timeInWords(time.head)}`;
  const moved = `${time.name.replace('turn.ok.', '')} ${changeInWords(time.change, time.unit)} (${span})`;
  const by = changeInWords(change, throughput.unit).slice(1);
  return change < 0
    ? `turns take longer: ${moved}, so throughput fell ${by}`
    : `turns take less time: ${moved}, so throughput rose ${by}`;
}

/** The tail of the turns; where p99 has too few turns, p95. */
const turnTails = ['turn.ok.p99', 'turn.ok.p95'];

/** The tail of the turns where it moved but does not decide, since throughput changed under closed load; else ''. */
function ungatedTail(deciding: Metrics, all: Metrics): string {
  const throughput = deciding.find((metric) => metric.name === throughputName && hasMoved(metric));
  const moved = turnTails
    .flatMap((each) => all.filter(({ name }) => name === each))
    .find((metric) => !metric.isGated && hasMoved(metric));
  if (throughput?.change == null || moved === undefined) return '';
  const way = throughput.change < 0 ? 'fell' : 'rose';
  return `${moveInWords(moved)} is not gated, because throughput ${way}: compare latency under open load`;
}

const hasMoved = ({ verdict }: MetricComparison): boolean => verdict === 'regressed' || verdict === 'improved';

/** Whether a time has the verdict of the throughput, and moved the other way by at least half as much. */
function explains(time: MetricComparison, { change, verdict }: MetricComparison): boolean {
  if (time.verdict !== verdict || time.change === null || change === null) return false;
  return Math.log1p(time.change) / -Math.log1p(change) >= 0.5;
}

const timeInWords = (ms: number): string =>
  ms < 999.5 ? `${String(Number(ms.toPrecision(3)))} ms` : `${(ms / 1000).toFixed(ms < 9995 ? 2 : 1)} s`;

/** A metric with how it changed: `turn.ok.p99 +12.3 %`. */
function moveInWords({ name, change, unit }: MetricComparison): string {
  return change === null ? name : `${name} ${changeInWords(change, unit)}`;
}

/** `+12.3 %`; a share in percentage points. */
function changeInWords(change: number, unit: MetricComparison['unit']): string {
  const size = Math.abs(change) * 100;
  const digits = size >= 99.95 ? 0 : unit === 'share' && size < 9.995 ? 2 : 1;
  return `${change < 0 ? '−' : '+'}${size.toFixed(digits)} ${unit === 'share' ? 'pp' : '%'}`;
}
