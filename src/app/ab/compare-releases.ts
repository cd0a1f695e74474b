import type { Comparison } from '../../compare/document/comparison.ts';
import { confirmAlarm } from '../../compare/confirm-alarm.ts';
import { judgeSides, type Judging } from '../compare/judge-sides.ts';
import { dropUntrusted, performPairs, type PairedRun, type Pairs, type PairsOptions } from './perform-pairs.ts';

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
