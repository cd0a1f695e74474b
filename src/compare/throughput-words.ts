import { changeInWords, moveInWords } from './change-words.ts';
import type { MetricComparison } from './document/comparison.ts';

type Metrics = readonly MetricComparison[];

const throughputName = 'rates.turnsPerSecond';

/** Under closed load the time of a turn decides how many are done: a reader looks for the time. */
const turnTimes = ['turn.ok.p50', 'turn.ok.mean'];

/** Throughput that changed since turns take more or less time than they did; `null` for anything else. */
export function causeInWords(throughput: MetricComparison, all: Metrics): string | null {
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
export function ungatedTail(deciding: Metrics, all: Metrics): string {
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
