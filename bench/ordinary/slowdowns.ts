import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { randomOf } from '../../src/base/random.ts';
import type { Comparison } from '../../src/compare/document/comparison.ts';
import type { Chapter } from '../chapter.ts';
import type { Finding } from '../finding.ts';
import { chapterOf } from '../measure-some.ts';
import { busy, idle, underCondition, type Condition } from './busy.ts';
import { drawBatches, drawNight, drawPairs, type Against } from './draw.ts';
import { isQuiet, isRegressed, tryLive, ways, type Way } from './live.ts';
import type { OrdinaryBench } from './main.ts';
import { measurePool, type Pool } from './pool.ts';
import { withReleases, writeScenario, type Releases } from './releases.ts';

const full = { runs: 30, turns: 600, comparisons: 200, trials: 3 };
/** Minimum for a night of one release: ten pairs of neighbouring runs. */
const minRuns = 20;
/** Minimum for the median of a run, after the end of the sessions is subtracted. */
const minTurns = 300;

/** Batches that differ by less than this have the release as their only difference. */
const maxDrift = Math.log(1.02);

/** Minimum shares: 18 of 20 and 19 of 20 for interleaved releases, 16 of 20 for two batches. */
const minFound: Readonly<Record<Way, number>> = { ab: 90, nightly: 90, repeat: 80 };
const minQuiet = 95;

/**
 * Measures how often a release that is 20 % slower is found, and a release compared with itself raises no alarm, with the
 * defaults of ab, nightly and run --repeat 5: in comparisons drawn from a pool of runs, and live.
 */
export async function measureSlowdowns({ folder: parent, scale, report }: OrdinaryBench): Promise<Chapter> {
  const folder = await mkdtemp(join(parent, 'slowdowns-'));
  const scenario = await writeScenario(folder, Math.max(minTurns, Math.round(full.turns * scale)));
  const findings = await withReleases(async (releases) => {
    const found: Finding[] = [];
    for (const condition of [idle, busy]) {
      const place = { releases, scenario, folder };
      found.push(...(await underCondition(condition, () => measureCondition(condition, { place, scale, report }))));
    }
    return found;
  });
  const { title, text, broken } = chapterOf('A slowdown of 20 %', findings);
  return { title, text: `${how}\n\n${text}`, broken };
}

const how =
  'Runs of 600 turns with 30 concurrent sessions against a target with lognormal delays: 100 ms in the median, 120 ms in the head. Comparisons are drawn by seed from one pool of runs per condition: ' +
  'pairs as ab and nightly measure them, batches of five consecutive runs as run --repeat 5 does (batches that differ by less than 2 % apart from the release). Live trials use the built command with its defaults.';

interface Measuring {
  place: { releases: Releases; scenario: string; folder: string };
  scale: number;
  report: (text: string) => void;
}

async function measureCondition(condition: Condition, { place, scale, report }: Measuring): Promise<Finding[]> {
  report(condition.name);
  const runs = Math.max(minRuns, Math.round(full.runs * scale));
  const pool = await measurePool({ ...place, runs, report });
  const findings = [...aboutPool(pool, condition), ...drawAll(pool, condition, Math.ceil(full.comparisons * scale))];
  const trials = Math.round(full.trials * scale);
  for (const way of trials === 0 ? [] : ways)
    for (const against of ['slower head', 'itself'] as const)
      findings.push(...(await tryAll({ way, against, trials, condition }, { place, scale, report })));
  return findings;
}

/** Counts the runs that are not valid, which a comparison may omit. */
function aboutPool({ base, head }: Pool, { name }: Condition): Finding[] {
  const all = [...base, ...head];
  const doubted = all.filter(({ result }) => result.validity.verdict !== 'valid').length;
  return [{ what: `${name}: runs of the pool that are not valid`, value: (100 * doubted) / all.length, unit: '%' }];
}

const draws: Readonly<Record<Way, typeof drawBatches>> = {
  ab: (...of) => ({ comparison: drawPairs(...of), drift: 0 }),
  nightly: (...of) => ({ comparison: drawNight(...of), drift: 0 }),
  repeat: drawBatches,
};

function drawAll(pool: Pool, { name }: Condition, comparisons: number): Finding[] {
  return ways.flatMap((way, at) =>
    (['slower head', 'itself'] as const).flatMap((against): Finding[] => {
      const random = randomOf(47, at, Number(against === 'itself'));
      const drawn = Array.from({ length: comparisons }, () => draws[way](pool, against, random));
      const alike = drawn.filter(({ drift }) => Math.abs(drift) < maxDrift).map(({ comparison }) => comparison);
      const what = `${name}, ${way}, ${against}: ${isFound(against) ? 'regressed' : 'no alarm'} in ${String(alike.length)} drawn comparisons`;
      const value = shareOf(alike, against);
      return [{ what, value, unit: '%', atLeast: isFound(against) ? minFound[way] : minQuiet }];
    }),
  );
}

const isFound = (against: Against): boolean => against === 'slower head';

/** Returns the percentage of comparisons that end as they should; a refused comparison does not. */
function shareOf(comparisons: readonly Comparison[], against: Against): number {
  const isRight = ({ verdict }: Comparison): boolean =>
    isFound(against) ? verdict === 'regressed' : verdict === 'unchanged' || verdict === 'inconclusive';
  return (100 * comparisons.filter(isRight).length) / comparisons.length;
}

interface Tried {
  way: Way;
  against: Against;
  trials: number;
  condition: Condition;
}

async function tryAll({ way, against, trials, condition }: Tried, { place, report }: Measuring): Promise<Finding[]> {
  const lines: string[] = [];
  let longest = 0;
  for (let trial = 0; trial < trials; trial++) {
    const { line, minutes } = await tryLive(way, against, place);
    report(`${condition.name}, ${way}, ${against}: ${line}`);
    lines.push(line);
    longest = Math.max(longest, minutes);
  }
  const right = lines.filter(isFound(against) ? isRegressed : isQuiet).length;
  const what = `${condition.name}, ${way}, ${against}: live trials of ${String(trials)} that ${isFound(against) ? 'regressed' : 'raised no alarm'}`;
  return [
    { what, value: right, atLeast: trials - 1 },
    { what: `${condition.name}, ${way}, ${against}: longest live trial`, value: longest, unit: 'min', atMost: 10 },
  ];
}
