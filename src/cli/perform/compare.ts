import { comparedKind } from '../../app/compare/compared-kind.ts';
import { performCapacityComparison } from '../../app/compare/perform-capacity-comparison.ts';
import { performComparison } from '../../app/compare/perform-comparison.ts';
import { performSelfTest, type SelfTested } from '../../app/compare/perform-self-test.ts';
import type { SideSources } from '../../app/compare/read-side.ts';
import type { SideName } from '../../compare/document/side.ts';
import { formatShare } from '../../report/words/format.ts';
import { endWithVerdict } from '../console/report-error.ts';
import { stdout } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';
import { usage } from '../parser/rows.ts';
import { publishComparison, readComparison, type ComparisonOptions } from './comparisons.ts';

type CompareArguments = Given<'comparison'> &
  Given<'compare'> &
  Record<'base-results' | 'head-results', string | undefined>;

export async function compare(args: CompareArguments): Promise<number> {
  const options = await readComparison(args);
  if (args['self-test']) return printSelfTest(await performSelfTest(sideOf(args, 'base'), options));
  return endWithVerdict(options.format === 'terminal', async () => {
    const sides = { base: sideOf(args, 'base'), head: sideOf(args, 'head') };
    if ((await comparedKind(sides)) === 'capacity') return compareCapacities(sides, options, args);
    return publishComparison(await performComparison(sides, options), options);
  });
}

/** Flags that say how noise of runs is judged: a capacity is an interval already. */
const ofResults = ['margin', 'fdr', 'history', 'no-history', 'assume-noise'] as const;

/** Compares capacities, prints what was found and writes the files asked for; gives the exit code. */
async function compareCapacities(
  sides: Readonly<Record<SideName, SideSources>>,
  options: ComparisonOptions,
  args: CompareArguments,
): Promise<number> {
  const refused = ofResults.find((flag) => args[flag] !== undefined && args[flag] !== false);
  if (refused !== undefined)
    throw usage(
      `--${refused} is for results of runs; these are capacities, which are intervals.`,
      `Leave --${refused} out.`,
    );
  return publishComparison(await performCapacityComparison(sides, options), options);
}

const mostFalseAlarms = 0.05;

/** Prints how many comparisons of a release with itself raise an alarm; 1 when more than one in twenty. */
function printSelfTest({ label, runs, runsPerSide, draws, alarms }: SelfTested): number {
  const share = alarms / draws;
  stdout.note(
    `${label}: ${String(runs)} runs split into two sides of ${String(runsPerSide)}, ${String(draws)} times: ` +
      `${String(alarms)} false alarms (${formatShare(share)}; at most 5 % is expected).`,
  );
  return share > mostFalseAlarms ? 1 : 0;
}

const sideOf = (args: CompareArguments, name: SideName): SideSources => ({
  name,
  sources: sourcesOf(args, name),
  label: args[`${name}-label`],
  folder: args.in,
});

function sourcesOf(args: CompareArguments, side: SideName): string[] {
  const first = args[`${side}-results`];
  const sources = [...(first === undefined ? [] : [first]), ...(args[side] ?? [])];
  if (sources.length > 0) return sources;
  throw usage(
    `There is nothing to compare on the ${side} side.`,
    'Give both sides: chat-load compare BASE HEAD, or --base FILES --head FILES for several files.',
  );
}
