import type { Comparison } from '../../compare/document/comparison.ts';
import { confirmAlarm } from '../../compare/confirm-alarm.ts';
import { judgeSides, type Judging } from '../compare/perform-comparison.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { ChatLoadError } from '../../base/errors.ts';
import type { Ms } from '../../base/time.ts';
import type { SideName } from '../../compare/document/side.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Result } from '../../result/result.ts';
import { brokenBecause, isNoEvidence } from '../../compare/comparability/run-requirements.ts';
import { newSitting, recordRun, type Recorded } from '../run/record-run.ts';
import type { Fleet, RunPorts } from '../run/ports.ts';

export interface ReleasesOptions extends Omit<PairsOptions, 'firstPair'> {
  judging: Judging;
  /** After a regression, run the pairs again: only what shows twice counts. */
  confirm: boolean;
}

/** What came of it; `stopped`: runs were stopped, and there are those pairs. */
export type ComparedReleases =
  | { kind: 'stopped'; pairs: Pairs }
  | {
      kind: 'compared';
      comparison: Comparison;
      /** Runs of the head in which replies broke the integrity of conversations. */
      violated: readonly PairedRun[];
    };

/** Runs two releases alternately, writes every result, and compares them. */
export async function compareReleases(options: ReleasesOptions): Promise<ComparedReleases> {
  const pairs = await performPairs({ ...options, firstPair: 1 });
  if (isStopped(pairs, options)) return { kind: 'stopped', pairs };
  const first = await judgePairs(pairs, options);
  if (!options.confirm || first.verdict !== 'regressed' || first.broken.length > 0) return compared(first, pairs);
  options.screen.note(`${first.summary} Running ${String(options.pairs)} pairs again, to confirm it.`);
  const fresh = await performPairs({ ...options, firstPair: options.pairs + 1 });
  if (isStopped(fresh, options)) return { kind: 'stopped', pairs: fresh };
  return compared(confirmAlarm(first, await judgePairs(fresh, options)), pairs);
}

const isStopped = ({ stopped }: Pairs, { stops }: ReleasesOptions): boolean =>
  stopped !== undefined || stops.signal() !== undefined;

/** Pairs of which a run cannot be trusted are left out, as long as others remain: one of them would make the whole not comparable. */
async function judgePairs(all: Pairs, { judging, labels, out }: ReleasesOptions): Promise<Comparison> {
  const { pairs, leftOut } = judging.force ? { pairs: all, leftOut: [] } : dropUntrusted(all);
  const sides = {
    base: { label: labels.base, runs: pairs.base },
    head: { label: labels.head, runs: pairs.head },
  };
  const comparison = await judgeSides(sides, judging, out);
  return { ...comparison, warnings: [...leftOut, ...comparison.warnings] };
}

/** A reply in the wrong conversation needs no statistics: one of the head is enough. */
function compared(comparison: Comparison, { head }: Pairs): ComparedReleases {
  const violated = head.filter(({ result }) => ['fail', 'unsupported'].includes(result.integrity.verdict));
  return { kind: 'compared', comparison: { ...comparison, violatedRuns: violated.length }, violated };
}

interface PairsOptions extends Omit<RunPorts, 'fleet'> {
  pairs: number;
  /** The number of the first pair, from 1: what came before it in another sitting is not repeated. */
  firstPair: number;
  labels: Readonly<Record<SideName, string>>;
  out: string;
  pauseMs: Ms;
  /** The scenario against one side, its sessions drawn for one pair. */
  settle: (leg: Leg) => Promise<Settled>;
  /** Plays the runs of a side, which may have a key of its own; none: this process does. */
  fleets?: Readonly<Record<SideName, Fleet | undefined>> | undefined;
  /** Called after every run: `run 3 of 10, v2 (pair 2)`. */
  ended: (run: string, recorded: Recorded) => void;
}

interface PairedRun {
  file: string;
  result: Result;
}

export interface Pairs {
  /** Whole pairs, in their order. */
  base: PairedRun[];
  head: PairedRun[];
  /** The run that was stopped before its end, after which no other was begun. */
  stopped: Recorded | undefined;
}

/** Runs both releases alternately in one sitting, and writes every result as soon as there is one. */
async function performPairs(options: PairsOptions): Promise<Pairs> {
  const sitting = newSitting();
  const done: { leg: Leg; run: PairedRun }[] = [];
  let stopped: Recorded | undefined;
  const legs = interleave(options.pairs, options.firstPair);
  for (const [at, leg] of legs.entries()) {
    if (done.length > 0) await wait(options.pauseMs, undefined, { signal: options.stops.drain }).catch(() => undefined);
    if (options.stops.signal() !== undefined) break;
    const run = `run ${String(at + 1)} of ${String(legs.length)}`;
    const recorded = await performLeg({ leg, sitting, run }, options).catch((thrown: unknown) =>
      stoppedEarly(thrown, options),
    );
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

/**
 * Without the pairs that contain a run of no evidence, if any others are left, and a sentence on each of
 * them. A pair in which the service broke a run is kept.
 */
export function dropUntrusted(all: Pairs): { pairs: Pairs; leftOut: string[] } {
  const untrusted = new Map<string, string>();
  for (const { result } of [...all.base, ...all.head]) {
    const { run, validity } = result;
    if (isNoEvidence(result) && run.pair !== null)
      untrusted.set(run.pair, `${run.label ?? 'a run'} was ${validity.verdict}: ${validity.reasons[0]?.message ?? ''}`);
  }
  for (const { result } of [...all.base, ...all.head])
    if (brokenBecause(result) !== null) untrusted.delete(result.run.pair ?? '');
  const isTrusted = ({ result }: PairedRun): boolean => !untrusted.has(result.run.pair ?? '');
  const base = all.base.filter(isTrusted);
  if (base.length === 0) return { pairs: all, leftOut: [] };
  const leftOut = [...untrusted].map(([pair, why]) => `Pair ${pair} is left out, since ${why}`);
  return { pairs: { ...all, base, head: all.head.filter(isTrusted) }, leftOut };
}

/** A signal that came before the shards of a run were ready ends the pairs; any other error is rethrown. */
function stoppedEarly(thrown: unknown, { fleets, stops, screen }: PairsOptions): undefined {
  if (fleets === undefined || stops.signal() === undefined || !(thrown instanceof ChatLoadError)) throw thrown;
  screen.note(thrown.message);
}

async function performLeg(
  { leg, sitting, run }: { leg: Leg; sitting: string; run: string },
  options: PairsOptions,
): Promise<Recorded> {
  const { labels, out, fleets, ...ports } = options;
  const place = { label: labels[leg.side], sitting, pair: String(leg.pair), out, journal: 'until_result' } as const;
  const recorded = await recordRun(await options.settle(leg), place, { ...ports, fleet: fleets?.[leg.side] });
  options.ended(`${run}, ${labels[leg.side]} (pair ${String(leg.pair)})`, recorded);
  return recorded;
}

/** One run of a comparison in one sitting. */
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
