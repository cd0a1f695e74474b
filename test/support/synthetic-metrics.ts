import type { Comparison, MetricComparison, ShiftPoint, VerdictName } from '../../src/compare/document/comparison.ts';

type Side = Comparison['base'];
type Change = readonly [change: number, low: number, high: number];

/** A side with this number of valid runs, interleaved with the other side. */
export function runsOf(label: string, count: number, minute: number): Side {
  return {
    label,
    runs: Array.from({ length: count }, (_, index) => ({
      file: `results/peak-${label}-${String(index + 1)}.json`,
      id: `${label}-${String(index + 1)}`,
      label,
      startedAt: `2026-11-20T02:${String(minute + index * 10).padStart(2, '0')}:00.000Z`,
      seed: index + 1,
      sitting: 'night-324',
      pair: String(index + 1),
      validity: 'valid' as const,
      target: 'https://agent.example.com',
    })),
  };
}

interface Figures {
  name: string;
  unit?: MetricComparison['unit'];
  worse?: MetricComparison['worse'];
  base: number;
  change: Change;
  margin: number;
  p: number;
}

function metric(figures: Figures, verdict: MetricComparison['verdict'], over: Partial<MetricComparison> = {}) {
  const { name, unit = 'ms', worse = 'higher', base, margin, p } = figures;
  const [change, low, high] = figures.change;
  const narrow = (end: number): number => change + (end - change) * 0.82;
  const made: MetricComparison = {
    name,
    unit,
    worse,
    isGated: true,
    notGatedBecause: null,
    verdict,
    reason: null,
    base,
    head: unit === 'share' ? base + change : base * (1 + change),
    change,
    ci95: { low, high },
    ci90: { low: narrow(low), high: narrow(high) },
    margin,
    p: p / 2,
    pAdjusted: p,
    adjustedFor: 8,
    pBeyondMargin: verdict === 'regressed' ? 0.999 : 0.02,
    smallestDetectable: (high - low) * 0.7,
    visibleFrom: Math.max(margin, (high - low) / 2),
    runsNeeded: null,
    noise: 'between_runs',
    degreesOfFreedom: 10,
    priorDegreesOfFreedom: 6,
    isNoiseAssumed: false,
    runs: { base: 5, head: 5 },
  };
  return { ...made, ...over };
}

/** No change to speak of. */
export const nothing: Change = [0.004, -0.012, 0.02];
/** The gate metrics of two equal releases, except for the named changes. */
export function familyOf(over: Partial<Record<string, Partial<Figures> & { is: VerdictName }>>): MetricComparison[] {
  return (
    [
      { name: 'turn.ok.p50', base: 204, change: nothing, margin: 0.05, p: 0.61 },
      { name: 'turn.ok.p99', base: 1210, change: [-0.011, -0.042, 0.021], margin: 0.1, p: 0.52 },
      { name: 'turn.ok.mean', base: 251, change: [0.008, -0.01, 0.026], margin: 0.05, p: 0.43 },
      {
        name: 'turns.failedShare',
        unit: 'share',
        base: 0.0032,
        change: [0.0001, -0.0004, 0.0006],
        margin: 0.001,
        p: 0.7,
      },
      { name: 'attempt.ok.p99', base: 476, change: [0.013, -0.02, 0.047], margin: 0.1, p: 0.4 },
      { name: 'sessionCreate.p99', base: 2.35, change: [0.021, -0.04, 0.085], margin: 0.1, p: 0.49 },
      {
        name: 'rates.turnsPerSecond',
        unit: 'perSecond',
        worse: 'lower',
        base: 68.2,
        change: [-0.001, -0.006, 0.004],
        margin: 0.03,
        p: 0.66,
      },
      {
        name: 'retries.amplification',
        unit: 'ratio',
        base: 1.03,
        change: [0.001, -0.002, 0.004],
        margin: 0.02,
        p: 0.48,
      },
    ] satisfies Figures[]
  ).map((figures) => {
    const { is = 'unchanged', ...other } = over[figures.name] ?? {};
    return metric({ ...figures, ...other }, is);
  });
}

/** Returns the metrics with one changed. */
export function changed(metrics: readonly MetricComparison[], name: string, over: Partial<MetricComparison>) {
  return metrics.map((each) => (each.name === name ? { ...each, ...over } : each));
}

/** A part of the run with this change. */
export function point(name: string, base: number, [change, low, high]: Change): ShiftPoint {
  return {
    name,
    base,
    head: base * (1 + change),
    change,
    ci95: { low, high },
  };
}

/** A metric outside the gate family. */
export function ofInformation(figures: Figures, verdict: VerdictName): MetricComparison {
  return metric(figures, verdict, { isGated: false, adjustedFor: 31 });
}
