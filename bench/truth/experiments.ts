import type { DelayModel } from './delay-model.ts';
import { observe, type Observed } from './observe.ts';
import { percentileFigures, rowOf, type Figure, type TruthRow } from './row.ts';

/** An experiment with a known answer: a target's distribution, a load, and the figures that are then known. */
interface Experiment {
  name: string;
  model: DelayModel;
  /** Source of the scenario's object. */
  scenario: string;
  figuresOf: (observed: Observed) => Figure[];
}

/** HDR with 3 significant digits. */
const resolution = 0.001;

/** Runs the experiments one after another. Takes some minutes on an otherwise idle machine. */
export async function runTruth(
  report: (row: TruthRow) => void = () => undefined,
  chosen: readonly Experiment[] = experiments,
): Promise<TruthRow[]> {
  const rows: TruthRow[] = [];
  for (const { name, model, scenario, figuresOf } of chosen) {
    const observed = await observe(model, scenario);
    for (const figure of figuresOf(observed)) {
      const row = rowOf(name, observed.result, figure);
      report(row);
      rows.push(row);
    }
  }
  return rows;
}

const exchangesOf = ({ account }: Observed): number[] => account.messages.map(({ at, repliedAt }) => repliedAt - at);

const constant: Experiment = {
  name: 'constant 50 ms at 1,000 turns/s',
  model: { kind: 'constant', ms: 50 },
  scenario: openLoad({ perSecond: 200, turns: 5, seconds: 15 }),
  figuresOf: (observed) => {
    const { attempt, lateness } = observed.result.latency;
    const values = exchangesOf(observed);
    const allowed = (_: number, percentile: string): number => (percentile === 'p50' ? 1 : 3);
    return [
      ...percentileFigures('attempt', { ...attempt, p999Ms: null, p9999Ms: null }, { values, allowed }),
      { figure: 'lateness p99', unit: 'ms', known: 0, measured: lateness.p99Ms, allowed: 5 },
      achieved(observed, { perSecond: 200, seconds: 15 }),
    ];
  },
};

const lognormal: Experiment = {
  name: 'lognormal, median 200 ms, sigma 0.6',
  model: { kind: 'lognormal', medianMs: 200, sigma: 0.6 },
  scenario: openLoad({ perSecond: 200, turns: 5, seconds: 15 }),
  figuresOf: (observed) =>
    percentileFigures('attempt', observed.result.latency.attempt, {
      values: exchangesOf(observed),
      allowed: (known) => known * resolution + 1,
    }),
};

const stallDelays = { kind: 'stall', ms: 10, fromMs: 3000, untilMs: 5000 } as const;
const stalled = { perSecond: 100, seconds: 10 };

/** Defines an experiment with a stalled service. `bound`: an option of the load; with one, the queue is the generator's and the target's account shows the waits. */
const stall = (bound: string): Experiment => ({
  name: `stall of 2 s${bound === '' ? '' : `, ${bound}`}`,
  model: stallDelays,
  scenario: openLoad({ ...stalled, turns: 1, bound }),
  figuresOf: (observed) => {
    const { effective } = observed.result.latency;
    // All waiting requests are answered together, and the generator needs some milliseconds to read the replies one by
    // one.
    const allowed = (known: number): number => known * resolution + 5;
    const byAccount = percentileFigures("effective by the target's account,", effective, {
      values: effectiveByAccount(observed),
      allowed,
    });
    if (bound !== '') return byAccount;
    // Excluded: without the stall, the target's timers have a resolution of milliseconds.
    const inStall = { ...effective, p50Ms: null, p75Ms: null };
    return [
      ...percentileFigures('effective by the distribution,', inStall, { values: effectiveByModel(), allowed }),
      ...byAccount,
    ];
  },
});

const stallExperiments = [stall(''), stall('maxTurnsInFlight: 8'), stall('maxConcurrency: 8')];

/** Returns effective latencies by the target's clock; the schedule begins with the least delayed creation. */
function effectiveByAccount({ account }: Observed): number[] {
  const offset = (n: number): number => (n * 1000) / stalled.perSecond;
  const start = Math.min(...account.creations.map((at, n) => at - offset(n)));
  return account.messages.map(({ session, repliedAt }) => repliedAt - start - offset(session - 1));
}

/** Returns effective latencies from the schedule and the distribution alone. */
function effectiveByModel(): number[] {
  const { ms, fromMs, untilMs } = stallDelays;
  return Array.from({ length: stalled.perSecond * stalled.seconds }, (_, n) => {
    const due = (n * 1000) / stalled.perSecond;
    return (due >= fromMs && due < untilMs ? untilMs - due : 0) + ms;
  });
}

const rate = (perSecond: number, seconds: number, turns = 1): Experiment => ({
  name: `${String(perSecond)} sessions/s of ${String(turns)} turns`,
  model: { kind: 'constant', ms: 0 },
  scenario: openLoad({ perSecond, turns, seconds }),
  figuresOf: (observed) => {
    const mayExceedCore = perSecond > maxOfOneCore;
    return [
      { ...achieved(observed, { perSecond, seconds }), mayExceedCore },
      ...(turns === 1 ? [] : [achievedTurns(observed, { perSecond, seconds, turns })]),
    ];
  },
});

/** Sessions/s, each with a creation and its own connection, that one core should sustain. */
const maxOfOneCore = 2000;

/** Returns the sessions created within the requested time, as counted by the target. */
function achieved({ account }: Observed, { perSecond, seconds }: { perSecond: number; seconds: number }): Figure {
  const [first = NaN] = account.creations;
  const inTime = account.creations.filter((at) => at < first + seconds * 1000).length;
  const measured = inTime / seconds;
  return { figure: 'sessions/s at the target', unit: '/s', known: perSecond, measured, allowed: perSecond * 0.005 };
}

/** Returns the turns within the requested time except its first second, after which sessions of all ages are live. */
function achievedTurns(
  { account }: Observed,
  { perSecond, seconds, turns }: { perSecond: number; seconds: number; turns: number },
): Figure {
  const [first = NaN] = account.creations;
  const [from, to] = [first + 1000, first + seconds * 1000];
  const measured = account.messages.filter(({ at }) => at >= from && at < to).length / (seconds - 1);
  const known = perSecond * turns;
  return { figure: 'turns/s at the target', unit: '/s', known, measured, allowed: known * 0.005 };
}

interface OpenLoad {
  perSecond: number;
  turns: number;
  seconds: number;
  bound?: string;
}

function openLoad({ perSecond, turns, seconds, bound = '' }: OpenLoad): string {
  return `{ name: 'truth', messages: ['Hi'], turns: ${String(turns)}, duration: '${String(seconds)}s', retry: 'none',
    load: { sessionsPerSecond: ${String(perSecond)}, ${bound} } }`;
}

/** Experiments in execution order. */
export const experiments: readonly Experiment[] = [
  constant,
  lognormal,
  ...stallExperiments,
  rate(0.2, 30),
  rate(7.3, 10),
  rate(100, 10),
  rate(1000, 10),
  rate(2000, 10),
  rate(5000, 10),
  rate(20_000, 3),
  rate(200, 10, 25),
  rate(1000, 10, 20),
];
