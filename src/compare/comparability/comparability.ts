import type { Comparability, Difference, Refusal } from '../document/comparison.ts';
import { caveatsOf } from './caveats.ts';
import { type Sides, resultsOf, sideNames, type Side } from '../document/side.ts';
import { countOf } from '../../base/format.ts';
import type { Result } from '../../result/result.ts';
import type { Environment } from '../../result/sections/environment.ts';
import { machineTraits, workerClassesOf } from '../document/group-of.ts';
import { measuredWindow } from '../figures/open-run.ts';
import { fieldDifferences, planDifferences, differencesIn, listed, type Trait, repeatedIn } from './differences.ts';
import { unmetRequirements } from './run-requirements.ts';
import { sumOf } from '../../statistics/averages.ts';

/** Whether two sides can be compared, and the caveats. Each side holds at least one run. */
export function judgeComparability(sides: Sides, { force }: { force: boolean }): Comparability {
  const refusals = refusalsOf(sides);
  const isComparable = refusals.length === 0;
  return { isComparable, forced: force && !isComparable, refusals, warnings: caveatsOf(sides) };
}

/**
 * What makes a comparison meaningless. The hash of the scenario covers its load model and level, its retry policy,
 * its lengths and its warm-up, none of which is compared again.
 *
 * | looked at | refused |
 * |---|---|
 * | runs | one that is there twice |
 * | schema version, scenario | any difference |
 * | target | embedded on one side, or embedded with unlike profiles; other protocols; streamed on one side |
 * | machine, where it is known | other processor, cores, architecture, system, Node.js; memory more than 1 % apart |
 * | shards | not as many; of as many, machines of other classes |
 * | measured time of runs by duration | more than 1 % apart |
 * | seeds | not the same set |
 * | each run | not completed, books that do not balance, not `valid` but for what its service alone did; of the base also what that made invalid |
 */
function refusalsOf(sides: Sides): Refusal[] {
  return [...differencesOf(sides).map((difference) => ({ ...difference, remedy: null })), ...unmetRequirements(sides)];
}

function differencesOf(sides: Sides): Difference[] {
  return [
    ...repeatedRuns(sides),
    ...differencesIn([schemaVersion], sides),
    ...scenarioDifferences(sides),
    ...differencesIn([targetKind, protocol, stream], sides),
    ...profileDifferences(sides),
    ...shardDifferences(sides),
    ...differencesIn(machines, sides),
    ...spreadOf(sides, { ...memory, max: 0.01 }),
    ...spreadOf(sides, { ...measuredTime, max: 0.01 }),
    ...seedDifferences(sides),
  ];
}

const schemaVersion: Trait = {
  key: 'schemaVersion',
  message: 'the documents are of different versions',
  of: (result) => String(result.schemaVersion),
};

const targetKind: Trait = {
  key: 'target.embedded',
  message: 'one was measured against the embedded service, the other was not',
  of: ({ target }) => (target.embedded ? 'embedded' : 'at a URL'),
};

const protocol: Trait = {
  key: 'target.protocol',
  message: 'the services were spoken to by different protocols',
  of: ({ target }) => target.protocol,
};

const stream: Trait = {
  key: 'target.stream',
  message: 'replies came in pieces on one side and whole on the other: a latency is not the same thing in both',
  of: ({ target }) => (target.stream ? 'streamed' : 'whole'),
};

const machines: readonly Trait[] = machineTraits.map(({ key, meaning, of }) => ({
  key,
  message: `the load came from machines of different classes: ${meaning}`,
  of: (result) => ownMachine(result, of),
}));

/** What only the machine of the one process says: that of a coordinator sends no load. */
function ownMachine<Value>({ environment }: Result, of: (environment: Environment) => Value): Value | null {
  return environment === null || environment.workers !== null ? null : of(environment);
}

const shards: Trait = {
  key: 'environment.workers',
  message: 'the load was spread over different numbers of shards',
  of: ({ environment }) => environment && countOf(environment.workers?.length ?? 1, 'shard'),
};

const workerMachines: Trait = {
  key: 'environment.workers',
  message: 'the shards were played on machines of different classes',
  of: ({ environment }) => (environment?.workers ? workerClassesOf(environment.workers) : null),
};

/** Where there are not as many shards, there cannot be as many machines. */
function shardDifferences(sides: Sides): Difference[] {
  const numbers = differencesIn([shards], sides);
  return numbers.length > 0 ? numbers : differencesIn([workerMachines], sides);
}

/** A measure that may differ a little. */
interface Measure {
  key: string;
  message: string;
  of: (result: Result) => number | null;
  show: (value: number) => string;
}

const memory: Measure = {
  key: 'environment.memoryBytes',
  message: 'the load came from machines of different classes: their memory differs',
  of: (result) => ownMachine(result, ({ memoryBytes }) => memoryBytes),
  show: (bytes) => `${(bytes / 1e9).toFixed(1)} GB`,
};

/** For a number of sessions the time is an outcome, also where there is a duration beside it. */
const measuredTime: Measure = {
  key: 'rates.measuredMs',
  message: 'the measured times are not equally long',
  of: (result) => {
    const { durationMs, sessions } = result.scenario.plan;
    if (durationMs === null || sessions !== null) return null;
    return sumOf(measuredWindow(result).map(({ lengthMs }) => lengthMs));
  },
  show: (timeMs) => `${String(Number((timeMs / 1000).toFixed(3)))} s`,
};

/** A difference when the least and the greatest over all runs are further apart than `most`, as a share of the least. */
function spreadOf(sides: Sides, { key, message, of, show, max }: Measure & { max: number }): Difference[] {
  const values = resultsOf(sides).flatMap((result) => of(result) ?? []);
  if (values.length === 0 || Math.max(...values) <= Math.min(...values) * (1 + max)) return [];
  const [base = '', head = ''] = sideNames.map((name) =>
    listed([...new Set(sides[name].runs.flatMap(({ result }) => nullOr(of(result), show)))]),
  );
  return [{ key, base, head, message }];
}

const nullOr = (value: number | null, show: (value: number) => string): string[] =>
  value === null ? [] : [show(value)];

/** The same run on both sides, or twice on one, would be compared with itself or be counted twice. */
function repeatedRuns({ base, head }: Sides): Difference[] {
  const keyed = ({ runs }: Side) => runs.map(({ file, result }) => ({ file, key: result.run.id }));
  return repeatedIn({ base: keyed(base), head: keyed(head) }, 'one of its runs').map(({ key: id, ...places }) => ({
    key: 'run.id',
    ...places,
    message: `the run ${id} is given more than once: a run can only be compared with others`,
  }));
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

const scenarioHash: Trait = {
  key: 'scenario.hash',
  message: 'these are runs of different scenarios',
  of: ({ scenario }) => `${scenario.name} #${scenario.hash.slice(0, 8)}`,
};

function profileDifferences(sides: Sides): Difference[] {
  const profiles = resultsOf(sides).flatMap(({ scenario }) => scenario.plan.embedded ?? []);
  const [first] = profiles;
  const found = profiles.map((profile) => fieldDifferences('plan.embedded', first, profile));
  const [differing = []] = found.filter(({ length }) => length > 0);
  return differing.map((each) => ({ ...each, message: `the embedded service behaved differently: ${each.message}` }));
}

/** Sessions of different seeds have different messages and waits; the set counts, since seeds belong to pairs. */
function seedDifferences({ base, head }: Sides): Difference[] {
  const [from, to] = [seedsOf(base), seedsOf(head)];
  if (from === to) return [];
  return [{ key: 'scenario.seed', base: from, head: to, message: 'the sides were not run with the same set of seeds' }];
}

const seedsOf = ({ runs }: Side): string =>
  [...new Set(runs.map(({ result }) => result.scenario.seed))].toSorted((a, b) => a - b).join(', ');
