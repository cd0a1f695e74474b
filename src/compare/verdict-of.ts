import { excerpt } from '../base/excerpt.ts';
import { listFirst } from '../base/format.ts';
import { printable } from '../base/printable.ts';
import type { Comparability, Comparison, MetricComparison } from './document/comparison.ts';

export function verdictOf(metrics: readonly MetricComparison[]): Exclude<Comparison['verdict'], 'not_comparable'> {
  const verdicts = metrics.filter(decides).map(({ verdict }) => verdict);
  if (verdicts.includes('regressed')) return 'regressed';
  if (verdicts.includes('improved')) return 'improved';
  return verdicts.length > 0 && verdicts.every((verdict) => verdict === 'unchanged') ? 'unchanged' : 'inconclusive';
}

type Found = Pick<Comparison, 'verdict' | 'metrics' | 'comparability' | 'broken' | 'head' | 'design'>;

/** Source of the noise if the runs do not show it: a history, or an assumption. */
export interface NoiseBasis {
  /** Size of the sides: `One batch of runs per side`. */
  side: string;
  of: 'runs' | 'batches';
  hasHistory: boolean;
  /** Batches in the history, apart from those compared; `null` without a history. */
  otherSittings: number | null;
  assumedNoise: number | null;
}

/** Describes the verdict after its limits. `basis`: `null` if the runs themselves show the noise between them. */
export function verdictSentence(found: Found, basis: NoiseBasis | null): string {
  const { comparability, verdict } = found;
  const limits = [
    ...(basis === null ? [] : [basisText(basis)]),
    ...(comparability.forced ? [`Forced, though not comparable (${keysOf(comparability)}).`] : []),
  ];
  return [...(verdict === 'not_comparable' ? [] : limits), findingSentence(found)].join(' ');
}

/** Describes the finding without its limits; `max`: the maximum number of metrics named. */
export function findingSentence(found: Found, max = Infinity): string {
  if (found.verdict === 'not_comparable') return refusalSentence(found.comparability);
  return sentences[found.verdict](found.metrics.filter(decides), found, max);
}

const decides = ({ isGated, verdict }: MetricComparison): boolean => isGated && verdict !== 'no_data';

function refusalSentence({ refusals }: Comparability): string {
  const [first] = refusals;
  const more = refusals.length - 1;
  const rest = more > 0 ? `, and ${String(more)} more ${more === 1 ? 'difference' : 'differences'}` : '';
  if (first === undefined) return 'Not comparable.';
  const [base, head] = [first.base, first.head].map((value) => excerpt(value, printable, maxValueLength));
  return `Not comparable: ${printable(first.message)} (base ${String(base)}, head ${String(head)})${rest}.`;
}

const maxValueLength = 40;

const keysOf = ({ refusals }: Comparability): string => [...new Set(refusals.map(({ key }) => key))].join(', ');

function basisText({ side, of, hasHistory, otherSittings, assumedNoise }: NoiseBasis): string {
  const lack = otherSittings === null ? 'no history' : `too short a history (${countOf(otherSittings)})`;
  if (assumedNoise === null) return hasHistory ? `${side} relies only on the history.` : `${side} and ${lack}.`;
  const why = hasHistory ? ' relies on the history; if it is too short,' : ` and ${lack}:`;
  const size = `${String(Number((assumedNoise * 100).toPrecision(3)))} % (standard deviation, --assume-noise)`;
  return `${side}${why} ${of} are assumed to differ by ${size}.`;
}

const countOf = (sittings: number): string => `${String(sittings)} other ${sittings === 1 ? 'batch' : 'batches'}`;

type Metrics = readonly MetricComparison[];

const sentences: Readonly<
  Record<Exclude<Comparison['verdict'], 'not_comparable'>, (deciding: Metrics, found: Found, max: number) => string>
> = {
  regressed: (deciding, found, max) => {
    const worse = [...violationTexts(found), ...movesOf(deciding, 'regressed', found)];
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

function violationTexts({ broken, head }: Found): string[] {
  const [first] = broken;
  if (first === undefined) return [];
  const runs = `${String(broken.length)} of ${String(head.runs.length)} runs of the head`;
  return [`the service made ${runs} invalid (${first.reason})`];
}

const tail = (lead: string, text: string): string => (text === '' ? '' : lead + text);

const movesOf = (deciding: Metrics, verdict: MetricComparison['verdict'], { metrics }: Found): string[] =>
  deciding
    .filter((metric) => metric.verdict === verdict)
    .map((metric) => causeText(metric, metrics) ?? moveText(metric));

/** Describes the undecided metrics and a remedy; `max`: the maximum number of metrics named. */
function inconclusiveText(deciding: Metrics, design: Comparison['design'], max: number): string {
  if (deciding.length === 0) return 'Inconclusive: no deciding metric has enough data.';
  const open = deciding.filter(({ verdict }) => verdict === 'inconclusive');
  const names = open.map(({ name }) => name);
  const found = `Inconclusive: too noisy to tell whether ${listFirst(names, max)} changed`;
  if (open.some(({ isNoiseAssumed }) => isNoiseAssumed))
    return `${found}; interleave the sides (chat-load ab) to detect smaller changes.`;
  return `${found}${neededText(open, design)}.`;
}

/** Priority of metrics for users: turn percentiles and failures before means, attempts and creations. */
const byConcern: readonly ((metric: MetricComparison) => boolean)[] = [
  ({ name }) => /^turn\.ok\.p\d/.test(name),
  ({ unit }) => unit === 'share',
  () => true,
];

/** Describes how many runs would decide the metric most relevant to users, the most demanding of equal ones; '' if unknown. */
function neededText(open: Metrics, { unit }: Comparison['design']): string {
  const known = open.flatMap(({ runsNeeded, ...metric }) => (runsNeeded === null ? [] : [{ ...metric, runsNeeded }]));
  const alike = byConcern.map((isOf) => known.filter(isOf)).find(({ length }) => length > 0) ?? [];
  const [widest] = alike.toSorted((a, b) => b.runsNeeded - a.runsNeeded);
  if (widest === undefined) return '';
  const noun = unit === 'sitting' ? 'batches of runs' : 'runs';
  const metric = open.length === 1 ? 'it' : widest.name;
  return `; about ${widest.runsNeeded.toLocaleString('en-US')} ${noun} per side would decide ${metric}`;
}

const throughputName = 'rates.turnsPerSecond';

/** Turn time metrics that explain throughput under closed load, where readers look for the time. */
const turnTimes = ['turn.ok.p50', 'turn.ok.mean'];

/** Describes a throughput change by the turn time that caused it; `null` for anything else. */
function causeText(throughput: MetricComparison, all: Metrics): string | null {
  const { name, change } = throughput;
  if (name !== throughputName || change === null) return null;
  const time = turnTimes
    .flatMap((each) => all.filter((metric) => metric.name === each))
    .find((metric) => explains(metric, throughput));
  if (time?.base == null || time.head === null || time.change === null) return null;
  const span = `${timeText(time.base)} to ${timeText(time.head)}`;
  const moved = `${time.name.replace('turn.ok.', '')} ${changeText(time.change, time.unit)} (${span})`;
  const by = changeText(change, throughput.unit).slice(1);
  return change < 0
    ? `turns take longer: ${moved}, so throughput fell ${by}`
    : `turns take less time: ${moved}, so throughput rose ${by}`;
}

/** Tail metrics of turns; p95 is used if p99 has too few turns. */
const turnTails = ['turn.ok.p99', 'turn.ok.p95'];

/** Describes the tail of the turns if it moved but does not decide, because throughput changed under closed load; otherwise ''. */
function ungatedTail(deciding: Metrics, all: Metrics): string {
  const throughput = deciding.find((metric) => metric.name === throughputName && hasMoved(metric));
  const moved = turnTails
    .flatMap((each) => all.filter(({ name }) => name === each))
    .find((metric) => !metric.isGated && hasMoved(metric));
  if (throughput?.change == null || moved === undefined) return '';
  const way = throughput.change < 0 ? 'fell' : 'rose';
  return `${moveText(moved)} is not gated, because throughput ${way}: use open load to compare latency`;
}

const hasMoved = ({ verdict }: MetricComparison): boolean => verdict === 'regressed' || verdict === 'improved';

/** Reports whether a time has the verdict of the throughput, and moved in the opposite direction by at least half as much. */
function explains(time: MetricComparison, { change, verdict }: MetricComparison): boolean {
  if (time.verdict !== verdict || time.change === null || change === null) return false;
  return Math.log1p(time.change) / -Math.log1p(change) >= 0.5;
}

const timeText = (ms: number): string =>
  ms < 999.5 ? `${String(Number(ms.toPrecision(3)))} ms` : `${(ms / 1000).toFixed(ms < 9995 ? 2 : 1)} s`;

const moveText = ({ name, change, unit }: MetricComparison): string =>
  change === null ? name : `${name} ${changeText(change, unit)}`;

/** Formats a change: `+12.3 %`; for a share in percentage points. */
function changeText(change: number, unit: MetricComparison['unit']): string {
  const size = Math.abs(change) * 100;
  const digits = size >= 99.95 ? 0 : unit === 'share' && size < 9.995 ? 2 : 1;
  return `${change < 0 ? '−' : '+'}${size.toFixed(digits)} ${unit === 'share' ? 'pp' : '%'}`;
}
