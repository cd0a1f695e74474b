import { comparedKind, type SideSources } from '../../app/compare/read-side.ts';
import {
  performCapacityComparison,
  performComparison,
  performSelfTest,
  type SelfTested,
  readCompared,
  defaultJudging,
  type Judging,
} from '../../app/compare/perform-comparison.ts';
import type { SideName } from '../../compare/document/side.ts';
import { formatShare } from '../../base/format.ts';
import { endWithVerdict } from '../console/report-error.ts';
import { stdout } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';
import { usage } from '../parser/rows.ts';
import type { CapacityComparison } from '../../capacity/compare/capacity-comparison.ts';
import type { Comparison } from '../../compare/document/comparison.ts';
import { gateFamily, metricRules } from '../../compare/metrics/metric-rules.ts';
import { prepareFile } from '../../edge/disk/write-result.ts';
import { printDocument, readFormat, summarize, writeBeside } from '../console/deliver.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { keepHistory, performTrend } from '../../app/trend/perform-trend.ts';

type CompareArguments = Given<'comparison'> &
  Given<'compare'> &
  Record<'base-results' | 'head-results', string | undefined>;

export async function compare(args: CompareArguments): Promise<number> {
  const options = await readComparison(args);
  if (args['self-test']) return printSelfTest(await performSelfTest(sideOf(args, 'base'), options));
  return endWithVerdict(options.format === 'terminal', async () => {
    const sides = { base: sideOf(args, 'base'), head: sideOf(args, 'head') };
    if ((await comparedKind(sides)) === 'result')
      return publishComparison(await performComparison(sides, options), options);
    const refused = ofResults.find((flag) => args[flag] !== undefined && args[flag] !== false);
    if (refused !== undefined)
      throw usage(
        `--${refused} is for results of runs; these are capacities, which are intervals.`,
        `Leave --${refused} out.`,
      );
    return publishComparison(await performCapacityComparison(sides, options), options);
  });
}

/** Flags that say how noise of runs is judged: a capacity is an interval already. */
const ofResults = ['margin', 'fdr', 'history', 'no-history', 'assume-noise'] as const;

const maxFalseAlarms = 0.05;

/** Prints how many comparisons of a release with itself raise an alarm; 1 when more than one in twenty. */
function printSelfTest({ label, runs, runsPerSide, draws, alarms }: SelfTested): number {
  const share = alarms / draws;
  stdout.note(
    `${label}: ${String(runs)} runs split into two sides of ${String(runsPerSide)}, ${String(draws)} times: ` +
      `${String(alarms)} false alarms (${formatShare(share)}; at most 5 % is expected).`,
  );
  return share > maxFalseAlarms ? 1 : 0;
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

/** How a comparison is judged, and where it goes. */
export interface ComparisonOptions extends Judging, Pick<Given<'comparison'>, 'html' | 'junit' | 'markdown'> {
  format: NonNullable<Given<'comparison'>['format']>;
}

/** Reads the flags, and checks that files can be written, before anything is read or sent. */
export async function readComparison(args: Given<'comparison'>): Promise<ComparisonOptions> {
  const { fdr: q = defaultJudging.q, force, html, junit, markdown } = args;
  const format = readFormat(args);
  for (const [flag, file] of Object.entries({ html, junit, markdown }))
    if (file !== undefined) await prepareFile(file, `--${flag}`);
  return {
    margins: new Map((args.margin ?? []).map(readMargin)),
    q,
    force,
    failOnInconclusive: args['fail-on'] === 'inconclusive',
    history: args['no-history'] ? null : args.history,
    assumedNoise: args['assume-noise'] ?? defaultJudging.assumedNoise,
    format,
    html,
    junit,
    markdown,
  };
}

/** `metric=10%`; for a share `metric=0.2pp`, in percentage points. */
function readMargin(text: string): [string, number] {
  const [, name = '', figure = '', unit = ''] = /^([^=]+)=(\d+(?:\.\d+)?)\s*(%|pp)$/.exec(text) ?? [];
  const rule = metricRules.find((each) => each.name === name);
  if (name === '')
    throw usage(
      `--margin takes metric=10% (or metric=0.2pp for a share), not '${text}'.`,
      'See chat-load compare --help.',
    );
  if (rule === undefined)
    throw usage(
      `--margin: ${unknownName(
        'metric',
        name,
        metricRules.map((each) => each.name),
      )}`,
      `Metrics that decide: ${gateFamily.join(', ')}.`,
    );
  const expected = rule.unit === 'share' ? 'pp' : '%';
  if (unit !== expected)
    throw usage(
      `--margin: ${name} is ${expected === 'pp' ? 'a share' : 'not a share'}, so its margin is given in ${expected === 'pp' ? 'percentage points' : 'per cent'}.`,
      `Write ${name}=${figure}${expected}.`,
    );
  return [name, Number(figure) / 100];
}

/** Prints a comparison of releases or capacities and writes the files that were asked for; gives the exit code. */
export async function publishComparison(
  comparison: Comparison | CapacityComparison,
  { format, ...files }: Pick<ComparisonOptions, 'format' | 'html' | 'junit' | 'markdown'>,
): Promise<number> {
  const { html, junit, markdown } = files;
  const documents =
    comparison.kind === 'chat-load/comparison'
      ? [...comparison.base.runs, ...comparison.head.runs]
      : [...comparison.base.searches, ...comparison.head.searches];
  const sources = documents.flatMap(({ file }) => file ?? []);
  const isDrawn = comparison.kind === 'chat-load/comparison' && (html !== undefined || format === 'html');
  const runs = isDrawn ? await readCompared(comparison) : [];
  await writeBeside(comparison, { html, markdown, junit }, { sources, runs });
  await summarize(comparison);
  await printDocument(comparison, format, { runs });
  return exitCodeOfComparison({ violatedRuns: 0, ...comparison });
}

/** 4 not comparable, 1 a regression (or nothing shown, where that fails) or replies of the head that broke integrity, else 0. */
export function exitCodeOfComparison({
  verdict,
  failOnInconclusive,
  violatedRuns,
}: Pick<Comparison, 'verdict' | 'failOnInconclusive' | 'violatedRuns'>): number {
  const otherwise = violatedRuns > 0 ? 1 : 0;
  switch (verdict) {
    case 'not_comparable':
      return 4;
    case 'regressed':
      return 1;
    case 'inconclusive':
      return failOnInconclusive ? 1 : otherwise;
    case 'improved':
    case 'unchanged':
      return otherwise;
  }
}

export async function findChanges(args: Given<'trend'> & { folder: string }): Promise<number> {
  const format = readFormat(args);
  const { 'fail-on': failOn, history, metric: metrics } = args;
  const { trend, runs } = performTrend({ ...args, failOn, metrics });
  if (history !== undefined) await keepHistory(runs, history);
  await printDocument(trend, format, { kept: history });
  return (trend.alarm?.date ?? null) === null ? 0 : 1;
}
