import type { Comparison } from '../../compare/document/comparison.ts';
import { confirmAlarm } from '../../compare/confirm-alarm.ts';
import { judgeSides, type Judging } from '../compare/perform-comparison.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { ChatLoadError } from '../../base/errors.ts';
import type { Ms } from '../../base/time.ts';
import { newSalt } from '../../edge/new-run.ts';
import type { SideName } from '../../compare/document/side.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import type { Result } from '../../result/result.ts';
import { newSitting, recordRun, type Recorded } from '../run/record-run.ts';
import type { Fleet, RunPorts } from '../run/ports.ts';

export interface ReleasesOptions extends Omit<PairsOptions, 'firstPair'> {
  judging: Judging;
  /** After a regression, run all pairs again; only a repeated regression counts. */
  confirm: boolean;
}

/**
 * Runs two releases alternately, writes every result, and compares them. Resolves with the completed pairs if a run was
 * stopped.
 */
export async function compareReleases(options: ReleasesOptions) {
  const pairs = await performPairs({ ...options, firstPair: 1 });
  if (isStopped(pairs, options)) return { kind: 'stopped' as const, pairs };
  const first = await judgePairs(pairs, options);
  if (!options.confirm || first.verdict !== 'regressed' || first.broken.length > 0) return compared(first, pairs);
  options.screen.note(`${first.summary} Running ${String(options.pairs)} pairs again, to confirm it.`);
  const fresh = await performPairs({ ...options, firstPair: options.pairs + 1 });
  if (isStopped(fresh, options)) return { kind: 'stopped' as const, pairs: fresh };
  return compared(confirmAlarm(first, await judgePairs(fresh, options)), pairs);
}

const isStopped = ({ stopped }: Pairs, { stops }: ReleasesOptions): boolean =>
  stopped !== undefined || stops.signal() !== undefined;

async function judgePairs(pairs: Pairs, { judging, labels, out }: ReleasesOptions): Promise<Comparison> {
  const sides = { base: { label: labels.base, runs: pairs.base }, head: { label: labels.head, runs: pairs.head } };
  return judgeSides(sides, judging, out);
}

/** Marks violated integrity, which needs no statistics: one reply of the head in the wrong conversation is enough. */
function compared(comparison: Comparison, { head }: Pairs) {
  const violated = head.filter(({ result }) => ['fail', 'unsupported'].includes(result.integrity.verdict));
  return { kind: 'compared' as const, comparison: { ...comparison, violatedRuns: violated.length }, violated };
}

interface PairsOptions extends Omit<RunPorts, 'fleet'> {
  pairs: number;
  /** Number of the first pair, from 1; earlier pairs of another batch are not repeated. */
  firstPair: number;
  labels: Readonly<Record<SideName, string>>;
  out: string;
  pauseMs: Ms;
  /** Resolves the scenario for one side, with the sessions of one pair. */
  resolve: (leg: Leg) => Promise<ResolvedScenario>;
  /** Fleets that run the load of each side, which may have its own key. Default: this process. */
  fleets?: Readonly<Record<SideName, Fleet | undefined>> | undefined;
  /** Called after every run: `run 3 of 10, v2 (pair 2)`. */
  ended: (run: string, recorded: Recorded) => void;
}

interface PairedRun {
  file: string;
  result: Result;
}

export interface Pairs {
  base: PairedRun[];
  head: PairedRun[];
  /** The run that was stopped early, after which no other was started. */
  stopped: Recorded | undefined;
}

/** Runs both releases alternately in one batch, and writes each result when its run ends. */
async function performPairs(options: PairsOptions): Promise<Pairs> {
  const sitting = newSitting();
  const done: { leg: Leg; run: PairedRun }[] = [];
  let stopped: Recorded | undefined;
  const legs = interleave(options.pairs, options.firstPair);
  const salts = new Map(legs.map(({ pair }) => [pair, newSalt()]));
  for (const [at, leg] of legs.entries()) {
    if (done.length > 0) await wait(options.pauseMs, undefined, { signal: options.stops.drain }).catch(() => undefined);
    if (options.stops.signal() !== undefined) break;
    const run = `run ${String(at + 1)} of ${String(legs.length)}`;
    const recorded = await performLeg({ leg, sitting, run, salt: salts.get(leg.pair) }, options);
    if (recorded === undefined) break;
    if (recorded.stop !== undefined) {
      stopped = recorded;
      break;
    }
    done.push({ leg, run: { file: recorded.path, result: recorded.result } });
  }
  const isWhole = ({ leg }: { leg: Leg }): boolean => done.filter((each) => each.leg.pair === leg.pair).length === 2;
  const runsOf = (side: SideName): PairedRun[] =>
    done
      .filter((each) => each.leg.side === side && isWhole(each))
      .sort((a, b) => a.leg.pair - b.leg.pair)
      .map(({ run }) => run);
  return { base: runsOf('base'), head: runsOf('head'), stopped };
}

/** Performs one run. Resolves with `undefined` after a signal before its shards were ready. */
async function performLeg(
  { leg: { side, pair }, sitting, run, salt }: { leg: Leg; sitting: string; run: string; salt: string | undefined },
  { labels, out, fleets, resolve, ended, ...ports }: PairsOptions,
): Promise<Recorded | undefined> {
  const place = { label: labels[side], sitting, pair: String(pair), salt, out, journal: 'until_result' } as const;
  try {
    const recorded = await recordRun(await resolve({ side, pair }), place, { ...ports, fleet: fleets?.[side] });
    ended(`${run}, ${labels[side]} (pair ${String(pair)})`, recorded);
    return recorded;
  } catch (thrown) {
    if (fleets === undefined || ports.stops.signal() === undefined || !(thrown instanceof ChatLoadError)) throw thrown;
    ports.screen.note(thrown.message);
    return undefined;
  }
}

export interface Leg {
  /** From 1; both runs of a pair have the same sessions. */
  pair: number;
  side: SideName;
}

/**
 * Runs of two releases alternately, base first in odd pairs and head first in even ones: ABBA ABBA AB. Drift affects
 * both alike.
 */
export function interleave(pairs: number, firstPair = 1): Leg[] {
  return Array.from({ length: pairs }, (_, index) => firstPair + index).flatMap((pair) =>
    (pair % 2 === 1 ? (['base', 'head'] as const) : (['head', 'base'] as const)).map((side) => ({ pair, side })),
  );
}
