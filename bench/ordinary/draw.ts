import type { Random } from '../../src/base/random.ts';
import { compareResults } from '../../src/compare/compare-results.ts';
import { confirmAlarm } from '../../src/compare/confirm-alarm.ts';
import type { Comparison } from '../../src/compare/document/comparison.ts';
import { figuresOf } from '../../src/compare/figures/read-figure.ts';
import type { RunOfSide } from '../../src/compare/document/side.ts';
import { mean } from '../../src/statistics/averages.ts';
import type { Pool } from './pool.ts';

/** Default of `ab --pairs`, `nightly --runs` and the documented `run --repeat`. */
const runsPerSide = 5;

/** A drawn pair, before it is part of a comparison. */
interface DrawnPair {
  base: RunOfSide;
  head: RunOfSide;
  /** Number of the only release of both runs, if it is compared with itself. */
  release?: number;
}

/** Releases of a drawn comparison: the head against the base, or the base against itself. */
export type Against = 'slower head' | 'itself';

/** Draws pairs as `ab` measures them, and compares them. */
export function drawPairs(pool: Pool, against: Against, random: Random): Comparison {
  return comparePairs(take(pairsOf(pool, against), runsPerSide, random), random, against);
}

/** Draws pairs as `nightly --base --head` measures them: an alarm is confirmed by as many other pairs. */
export function drawNight(pool: Pool, against: Against, random: Random): Comparison {
  const drawn = take(pairsOf(pool, against), 2 * runsPerSide, random);
  const first = comparePairs(drawn.slice(0, runsPerSide), random, against);
  if (first.verdict !== 'regressed') return first;
  return confirmAlarm(first, comparePairs(drawn.slice(runsPerSide), random, against));
}

/** A drawn comparison of two batches, and how far they differ apart from the release, on the logarithmic scale. */
interface DrawnBatches {
  comparison: Comparison;
  drift: number;
}

/** Draws runs that were measured one after the other, as `run --repeat 5` does for each release, and compares both batches. */
export function drawBatches(pool: Pool, against: Against, random: Random): DrawnBatches {
  const [from, to] = against === 'itself' ? [pool.base, pool.base] : [pool.base, pool.head];
  const places = from.length - runsPerSide + 1;
  const first = Math.floor(random() * places);
  // Batches of one release must not share a run.
  const others = Array.from({ length: places }, (_, place) => place).filter(
    (place) => against !== 'itself' || Math.abs(place - first) >= runsPerSide,
  );
  const second = others[Math.floor(random() * others.length)] ?? 0;
  const base = from.slice(first, first + runsPerSide);
  const head = to.slice(second, second + runsPerSide);
  const drift = levelOf(head) - levelOf(base) - (levelOf(to) - levelOf(from));
  return { comparison: compare(base.map(inBatch('v1')), head.map(inBatch('v2'))), drift };
}

/** Pairs of neighbouring runs: of both releases, or of the same one. */
function pairsOf(pool: Pool, against: Against): DrawnPair[] {
  if (against === 'slower head')
    return pool.base.flatMap((base, at) => {
      const head = pool.head[at];
      return head === undefined ? [] : [{ base, head }];
    });
  return [pool.base, pool.head].flatMap((runs, release) =>
    runs.flatMap((base, at) => {
      const head = runs[at + 1];
      return at % 2 === 1 || head === undefined ? [] : [{ base, head, release }];
    }),
  );
}

/** Draws different pairs; if a release is compared with itself, all of one release. */
function take(pairs: readonly DrawnPair[], count: number, random: Random): DrawnPair[] {
  const release = random() < 0.5 ? 0 : 1;
  const left = pairs.filter((pair) => pair.release === undefined || pair.release === release);
  if (left.length < count) throw new Error(`the pool has only ${String(left.length)} pairs`);
  return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)).flat();
}

function comparePairs(drawn: readonly DrawnPair[], random: Random, against: Against): Comparison {
  const turned = drawn.map(({ base, head }) =>
    against === 'itself' && random() < 0.5 ? { base: head, head: base } : { base, head },
  );
  const sideOf = (side: 'base' | 'head') =>
    turned.map((pair, at) => {
      const { result } = relabelled(pair[side], { at, label: side, sitting: 'tonight', pair: String(at + 1) });
      return { file: '', result };
    });
  return compare(sideOf('base'), sideOf('head'));
}

const inBatch =
  (label: string) =>
  (run: RunOfSide, at: number): RunOfSide =>
    relabelled(run, { at, label, sitting: label, pair: null });

interface Label {
  at: number;
  label: string;
  sitting: string;
  pair: string | null;
}

/** Returns a run as it would be in the drawn comparison: pair i and run i of a batch have the same seed. */
function relabelled({ result }: RunOfSide, { at, ...label }: Label): RunOfSide {
  const { run, scenario } = result;
  return {
    file: null,
    result: {
      ...result,
      run: { ...run, id: `${run.id} ${label.label}`, ...label },
      scenario: { ...scenario, seed: at + 1 },
    },
  };
}

const compare = (base: readonly RunOfSide[], head: readonly RunOfSide[]): Comparison =>
  compareResults({ base: { label: 'base', runs: base }, head: { label: 'head', runs: head }, toolVersion: 'bench' });

/** Mean logarithm of the median turn. */
const levelOf = (runs: readonly RunOfSide[]): number =>
  mean(
    runs.flatMap(({ result }) => {
      const reading = figuresOf(result).get('turn.ok.p50');
      return reading !== undefined && 'figure' in reading ? [reading.figure.level] : [];
    }),
  );
