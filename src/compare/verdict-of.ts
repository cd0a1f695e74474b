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

type Found = Pick<Comparison, 'verdict' | 'metrics' | 'comparability' | 'broken' | 'head' | 'design'> &
  Partial<Pick<Comparison, 'confirmation'>>;

/** Source of the noise if the runs do not show it: a history, or an assumption. */
export interface NoiseBasis {
  /** Size of the sides: `One batch of runs per side`. */
  side: string;
  of: 'runs' | 'batches';
  hasHistory: boolean;
  /** Batches in the history, apart from those compared; `null` without a history. */
  otherSittings: number | null;
  assumedNoise: number | null;
  /** True if the assumed noise counts as known: runs of one day on one machine. */
  isKnown: boolean;
}

/** Describes the verdict after its limits. `basis`: `null` if the runs themselves show the noise between them. */
export function verdictSentence(found: Found, basis: NoiseBasis | null): string {
  const { comparability, verdict } = found;
  const limits = [
    ...(basis === null ? [] : [basisText(basis, found.metrics)]),
    ...(comparability.forced ? [`Forced, though not comparable (${keysOf(comparability)}).`] : []),
  ];
  return [...(verdict === 'not_comparable' ? [] : limits), findingSentence(found)].join(' ');
}

/** Describes the finding without its limits; `max`: the maximum number of metrics named. */
export function findingSentence(found: Found, max = Infinity): string {
  if (found.verdict === 'not_comparable') return refusalSentence(found.comparability);
  if (isRefuted(found)) return `Inconclusive: ${refutedText}.`;
  return sentences[found.verdict](found.metrics.filter(decides), found, max);
}

const isRefuted = ({ verdict, confirmation }: Found): boolean =>
  verdict === 'inconclusive' && confirmation?.verdict === 'not_confirmed';
const refutedText = 'a second set of runs did not show the regression again';

/** Describes why a comparison is inconclusive: the smallest change that its data could show. */
export function undecidedText(found: Found): string {
  if (isRefuted(found)) return refutedText;
  const deciding = found.metrics.filter(decides);
  return deciding.length === 0 ? noDataText : limitText(deciding.filter(isOpen), found.design);
}

const noDataText = 'no deciding metric has enough data';
const isOpen = ({ verdict }: MetricComparison): boolean => verdict === 'inconclusive';

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

function basisText(
  { side, of, hasHistory, otherSittings, assumedNoise, isKnown }: NoiseBasis,
  metrics: Metrics,
): string {
  const lack = otherSittings === null ? 'no history' : `too short a history (${otherCount(otherSittings)})`;
  if (assumedNoise === null) return hasHistory ? `${side} relies only on the history.` : `${side} and ${lack}.`;
  const why = hasHistory ? ' relies on the history; if it is too short,' : ` and ${lack}:`;
  const apart = isKnown ? '' : ' more than a day apart or on several machines';
  const size = `${String(Number((assumedNoise * 100).toPrecision(3)))} % (standard deviation, --assume-noise)`;
  const [seen] = byRelevance(
    metrics.filter((metric) => metric.isNoiseAssumed && decides(metric)),
    'visibleFrom',
  );
  const from =
    seen === undefined ? '' : `; changes of ${seen.name} are seen from ${extentText(seen.value, seen.unit)} on`;
  return `${side}${why} ${of}${apart} are assumed to differ by ${size}${from}.`;
}

const otherCount = (sittings: number): string => `${String(sittings)} other ${sittings === 1 ? 'batch' : 'batches'}`;

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
  unchanged: (_, { metrics }) => {
    const lacking = metrics.filter(({ isGated, verdict }) => isGated && verdict === 'no_data').length;
    const except = lacking === 0 ? '' : `, except ${String(lacking)} without data`;
    return `Unchanged: every deciding metric is shown to be within its margin${except}.`;
  },
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

/** Describes the undecided metrics, the smallest change that could be seen, and a remedy; `max`: the maximum number of metrics named. */
function inconclusiveText(deciding: Metrics, design: Comparison['design'], max: number): string {
  if (deciding.length === 0) return `Inconclusive: ${noDataText}.`;
  const open = deciding.filter(isOpen);
  const names = open.map(({ name }) => name);
  return `Inconclusive: too noisy to tell whether ${listFirst(names, max)} changed: ${limitText(open, design)}.`;
}

/**
 * Describes the smallest change of undecided metrics that the data could show, and the way to see smaller ones: `a change of
 * less than 15 % (turn.ok.p50) cannot be seen with 5 runs per side; use chat-load ab`.
 */
function limitText(open: Metrics, design: Comparison['design']): string {
  const [seen] = byRelevance(open, 'visibleFrom');
  if (seen === undefined) return unseenText(open, design);
  const { name, unit, value, margin, runs } = seen;
  const size = `${extentText(value, unit)} (${name})`;
  const limit =
    value > margin * marginSlack
      ? `a change of less than ${size} cannot be seen with ${observationsText(runs, design)}`
      : `a change of about ${size}, its margin, is not yet decided with ${observationsText(runs, design)}`;
  return `${limit}; ${remedyText(open, design)}`;
}

/** Explains why no change can be seen, since too few figures are usable or the noise is unknown, and names a remedy. */
function unseenText(open: Metrics, design: Comparison['design']): string {
  const usable = Math.max(...open.map(({ runs }) => Math.min(runs.base, runs.head)));
  const measured = Math.min(design.base, design.head);
  const remedy = remedyText(open, design);
  if (usable >= measured && usable > 1) return `the noise is unknown; ${remedy}`;
  const place = usable < measured ? ', on an idle machine' : '';
  const of = usable < measured ? ` of ${String(measured)}` : '';
  const counted =
    design.unit === 'pair'
      ? `${String(usable)}${of} ${measured === 1 ? 'pair' : 'pairs'}`
      : `${String(usable)}${of} ${measured === 1 ? 'run' : 'runs'} per side`;
  return `figures of only ${counted} can be compared; ${remedy}${place}`;
}

/** Relative margins are symmetrical on the logarithmic scale: a decrease is slightly smaller than its margin. */
const marginSlack = 1.001;

/** Interleaved pairs see the smallest changes: more of them see smaller ones. */
function remedyText(open: Metrics, { unit }: Comparison['design']): string {
  if (unit !== 'pair') return 'use chat-load ab';
  const [needed] = byRelevance(open, 'runsNeeded');
  return needed === undefined || needed.value > maxPairs
    ? 'use more pairs or longer runs'
    : `about ${needed.value.toLocaleString('en-US')} pairs would show one of ${extentText(needed.margin, needed.unit)} (${needed.name})`;
}

/** Maximum number of pairs that is recommended; beyond it, longer runs help sooner. */
const maxPairs = 100;

function observationsText({ base, head }: MetricComparison['runs'], { unit }: Comparison['design']): string {
  if (unit === 'pair') return `${String(base)} ${base === 1 ? 'pair' : 'pairs'}`;
  if (base !== head) return `${String(base)} and ${String(head)} runs`;
  return `${String(base)} ${base === 1 ? 'run' : 'runs'} per side`;
}

/** Priority of metrics for users: turn percentiles and failures before means, attempts and creations. */
const byConcern: readonly ((metric: MetricComparison) => boolean)[] = [
  ({ name }) => /^turn\.ok\.p\d/.test(name),
  ({ unit }) => unit === 'share',
  () => true,
];

/** Returns the metrics most relevant to users with a known value of a field, the largest first. */
function byRelevance(metrics: Metrics, field: 'visibleFrom' | 'runsNeeded') {
  const known = metrics.flatMap((metric) => {
    const value = metric[field];
    return value === null ? [] : [{ ...metric, value }];
  });
  const alike = byConcern.map((isOf) => known.filter(isOf)).find(({ length }) => length > 0) ?? [];
  return alike.toSorted((a, b) => b.value - a.value);
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
const changeText = (change: number, unit: MetricComparison['unit']): string =>
  `${change < 0 ? '−' : '+'}${extentText(Math.abs(change), unit)}`;

/** Formats a change without its sign. */
function extentText(change: number, unit: MetricComparison['unit']): string {
  const size = change * 100;
  const digits = size >= 99.95 ? 0 : unit === 'share' && size < 9.995 ? 2 : 1;
  return `${size.toFixed(digits)} ${unit === 'share' ? 'pp' : '%'}`;
}
