import type { Comparability, Difference, Refusal } from '../document/comparison.ts';
import { caveatsOf, measuresOf, type SideMeasure } from './caveats.ts';
import { type Sides, resultsOf, sideNames, type Side } from '../document/side.ts';
import { countOf } from '../../base/format.ts';
import type { Result } from '../../result/result.ts';
import type { Environment } from '../../result/sections/environment.ts';
import { machineTraits, workerClassesOf } from '../document/group-of.ts';
import { measuredWindow } from '../figures/open-run.ts';
import {
  fieldDifferences,
  planDifferences,
  differencesIn,
  listed,
  refuseRepeated,
  trait,
  type Trait,
} from './differences.ts';
import { unmetRequirements } from './run-requirements.ts';
import { sumOf } from '../../statistics/averages.ts';

/** Judges whether two sides can be compared, and their caveats. Each side contains at least one run. */
export function judgeComparability(sides: Sides, { force }: { force: boolean }): Comparability {
  const refusals = refusalsOf(sides);
  const isComparable = refusals.length === 0;
  return { isComparable, forced: force && !isComparable, refusals, warnings: caveatsOf(sides) };
}

/**
 * Lists the reasons to refuse a comparison. The hash of the scenario covers its load model and level, its retry policy,
 * its durations and its warm-up, none of which is compared again.
 *
 * | compared | refused |
 * |---|---|
 * | runs | a run that appears twice |
 * | schema version, scenario | any difference |
 * | target | embedded on one side, or embedded with different profiles; different protocols; streamed on one side |
 * | machine, if known | different processor, cores, architecture, system, Node.js; memory more than 1 % apart |
 * | shards | different numbers; for equal numbers, machines of different classes |
 * | measured time of runs limited by duration | more than 1 % apart |
 * | seeds | different sets |
 * | each run | not completed; books that do not balance; not `valid` for reasons other than its service; on the base side also invalid because of its service |
 */
const refusalsOf = (sides: Sides): Refusal[] => [
  ...repeatedRuns(sides),
  ...differencesOf(sides).map((difference) => ({ ...difference, remedy: null })),
  ...unmetRequirements(sides),
];

function differencesOf(sides: Sides): Difference[] {
  return [
    ...differencesIn([schemaVersion], sides),
    ...scenarioDifferences(sides),
    ...differencesIn(targets, sides),
    ...profileDifferences(sides),
    ...shardDifferences(sides),
    ...differencesIn(machines, sides),
    ...spreadOf(sides, memory),
    ...spreadOf(sides, measuredTime),
    ...seedDifferences(sides),
  ];
}

const schemaVersion = trait('schemaVersion', 'the documents have different schema versions', (result) =>
  String(result.schemaVersion),
);

const targets: readonly Trait[] = [
  trait('target.embedded', 'only one side was measured against the embedded service', ({ target }) =>
    target.embedded ? 'embedded' : 'at a URL',
  ),
  trait('target.protocol', 'the runs used different protocols', ({ target }) => target.protocol),
  trait('target.stream', 'replies were streamed on one side only: their latencies are not comparable', ({ target }) =>
    target.stream ? 'streamed' : 'not streamed',
  ),
];

const machines: readonly Trait[] = machineTraits.map(({ key, meaning, of }) =>
  trait(key, `machines of different classes sent the load: ${meaning}`, (result) => ownMachine(result, of)),
);

/** Returns a property of the generating machine; `null` for a coordinator, which sends no load. */
const ownMachine = <Value>({ environment }: Result, of: (environment: Environment) => Value): Value | null =>
  environment === null || environment.workers !== null ? null : of(environment);

const shards = trait(
  'environment.workers',
  'the load was distributed over different numbers of shards',
  ({ environment }) => environment && countOf(environment.workers?.length ?? 1, 'shard'),
);
const workerMachines = trait(
  'environment.workers',
  'the shards ran on machines of different classes',
  ({ environment }) => (environment?.workers ? workerClassesOf(environment.workers) : null),
);

function shardDifferences(sides: Sides): Difference[] {
  const numbers = differencesIn([shards], sides);
  return numbers.length > 0 ? numbers : differencesIn([workerMachines], sides);
}

const memory: SideMeasure = {
  key: 'environment.memoryBytes',
  message: 'machines of different classes sent the load: their memory differs',
  max: 0.01,
  of: (result) => ownMachine(result, ({ memoryBytes }) => memoryBytes),
  show: (bytes) => `${(bytes / 1e9).toFixed(1)} GB`,
};

/** For a number of sessions the time is an outcome, even with a duration. */
const measuredTime: SideMeasure = {
  key: 'rates.measuredMs',
  message: 'the measured times differ',
  max: 0.01,
  of: (result) => {
    const { durationMs, sessions } = result.scenario.plan;
    if (durationMs === null || sessions !== null) return null;
    return sumOf(measuredWindow(result).map(({ lengthMs }) => lengthMs));
  },
  show: (timeMs) => `${String(Number((timeMs / 1000).toFixed(3)))} s`,
};

/** Reports a difference if the minimum and maximum over all runs are further apart than `max`, as a share of the minimum. */
function spreadOf(sides: Sides, { key, message, of, show, max }: SideMeasure): Difference[] {
  const values = sideNames.flatMap((name) => measuresOf(sides[name], of));
  if (values.length === 0 || Math.max(...values) <= Math.min(...values) * (1 + max)) return [];
  const [base = '', head = ''] = sideNames.map((name) => listed([...new Set(measuresOf(sides[name], of).map(show))]));
  return [{ key, base, head, message }];
}

function repeatedRuns({ base, head }: Sides): Refusal[] {
  const keyed = ({ runs }: Side) => runs.map(({ file, result }) => ({ file, key: result.run.id }));
  const repeated = refuseRepeated({ base: keyed(base), head: keyed(head) }, ['run', 'runs']);
  return repeated.map((refusal) => ({ key: 'run.id', ...refusal }));
}

function scenarioDifferences(sides: Sides): Difference[] {
  const results = resultsOf(sides);
  const other = results.find(({ scenario }) => scenario.hash !== results[0]?.scenario.hash);
  const [first] = results;
  if (first === undefined || other === undefined) return [];
  const nearer = sideNames.some((name) => isMixed(sides[name]))
    ? []
    : planDifferences(first.scenario.plan, other.scenario.plan);
  return nearer.length > 0
    ? nearer.map((each) => ({ ...each, message: `the scenarios differ: ${each.message}` }))
    : differencesIn([scenarioHash], sides);
}

const isMixed = ({ runs }: Side): boolean => new Set(runs.map(({ result }) => result.scenario.hash)).size > 1;

const scenarioHash = trait(
  'scenario.hash',
  'these are runs of different scenarios',
  ({ scenario }) => `${scenario.name} #${scenario.hash.slice(0, 8)}`,
);

function profileDifferences(sides: Sides): Difference[] {
  const profiles = resultsOf(sides).flatMap(({ scenario }) => scenario.plan.embedded ?? []);
  const [first] = profiles;
  const found = profiles.map((profile) => fieldDifferences('plan.embedded', first, profile));
  const [differing = []] = found.filter(({ length }) => length > 0);
  return differing.map((each) => ({ ...each, message: `the embedded service behaved differently: ${each.message}` }));
}

/** Sessions of different seeds have different messages and think times; the set counts, since seeds belong to pairs. */
function seedDifferences({ base, head }: Sides): Difference[] {
  const [from, to] = [seedsOf(base), seedsOf(head)];
  if (from === to) return [];
  return [{ key: 'scenario.seed', base: from, head: to, message: 'the sides ran different sets of seeds' }];
}

const seedsOf = ({ runs }: Side): string =>
  [...new Set(runs.map(({ result }) => result.scenario.seed))].toSorted((a, b) => a - b).join(', ');
