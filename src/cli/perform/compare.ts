import { usageError } from '../../base/errors.ts';
import { comparedKind } from '../../app/compare/compared-kind.ts';
import type { AnyComparison } from '../../app/compare/compared-kinds.ts';
import type { SideSources } from '../../app/compare/read-items.ts';
import {
  performComparison,
  performSelfTest,
  type SelfTested,
  readCompared,
  defaultJudging,
  type Judging,
} from '../../app/compare/perform-comparison.ts';
import { join } from 'node:path';
import type { SideName } from '../../compare/document/side.ts';
import { formatShare } from '../../base/format.ts';
import { endWithVerdict, stdout } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';
import type { Comparison } from '../../compare/document/comparison.ts';
import type { Result } from '../../result/result.ts';
import { isWithoutVerdict } from '../../compare/trend/build-history.ts';
import { gateFamily, metricRules } from '../../compare/metrics/metric-rules.ts';
import {
  prepareReports,
  printDocument,
  readFormat,
  readReportFiles,
  summarize,
  writeReportFiles,
  type ReportFile,
} from '../console/deliver.ts';
import { unknownMetric } from '../../result/metrics/unknown-metric.ts';
import { keepHistory, performTrend } from '../../app/trend/perform-trend.ts';

type CompareArguments = Given<'comparison'> &
  Given<'compare'> &
  Record<'base-results' | 'head-results', string | undefined>;

export async function compare(args: CompareArguments): Promise<number> {
  const options = await readComparison(args);
  if (args['self-test']) return printSelfTest(await performSelfTest(sideOf(args, 'base'), options));
  return endWithVerdict(options.format === 'terminal', async () => {
    const sides = { base: sideOf(args, 'base'), head: sideOf(args, 'head') };
    const other = await comparedKind(sides);
    if (other === undefined) return publishComparison(await performComparison(sides, options), options);
    const unsupported = runFlags.find((flag) => args[flag] !== undefined && args[flag] !== false);
    if (unsupported !== undefined)
      throw usageError(`--${unsupported} is for results of runs; these are ${other.plural}.`, `Omit --${unsupported}.`);
    const { compare } = await other.load();
    const { comparison, sources } = await compare(sides, options);
    return publishAny(comparison, { ...options, sources, runs: [] });
  });
}

/** Flags for the noise of runs, which apply to results only. */
const runFlags = ['margin', 'fdr', 'history', 'no-history', 'assume-noise'] as const;

/** Prints the share of false alarms when a release is compared with itself. Returns 1 if it exceeds 5 %. */
function printSelfTest({ label, runs, runsPerSide, draws, alarms }: SelfTested): number {
  const share = alarms / draws;
  stdout.note(
    `${label}: ${String(runs)} runs split into two sides of ${String(runsPerSide)}, ${String(draws)} times: ` +
      `${String(alarms)} false alarms (${formatShare(share)}; at most 5 % is expected).`,
  );
  return share > 0.05 ? 1 : 0;
}

const sideOf = (args: CompareArguments, name: SideName): SideSources => ({
  name,
  sources: sourcesOf(args, name),
  label: args[`${name}-label`],
  folder: args.results,
});

function sourcesOf(args: CompareArguments, side: SideName): string[] {
  const first = args[`${side}-results`];
  const sources = [...(first === undefined ? [] : [first]), ...(args[side] ?? [])];
  if (sources.length > 0) return sources;
  throw usageError(
    `No results for the ${side}.`,
    'Name both: chat-load compare BASE HEAD, or --base FILES --head FILES for several files.',
  );
}

export interface ComparisonOptions extends Judging {
  reports: readonly ReportFile[];
  format: NonNullable<Given<'comparison'>['format']>;
}

/** Reads the flags and checks that reports can be written, before anything is read or sent. */
export async function readComparison(args: Given<'comparison'>): Promise<ComparisonOptions> {
  const { fdr: q = defaultJudging.q, force } = args;
  const format = readFormat(args);
  const reports = readReportFiles(args.report, 'chat-load/comparison');
  await prepareReports(reports);
  return {
    margins: new Map((args.margin ?? []).map(readMargin)),
    q,
    force,
    failOnInconclusive: args['fail-on'] === 'inconclusive',
    history: args['no-history'] ? null : args.history,
    assumedNoise: args['assume-noise'] ?? defaultJudging.assumedNoise,
    format,
    reports,
  };
}

/** Reads `metric=10%`, or `metric=0.2pp` (percentage points) for a share. */
function readMargin(text: string): [string, number] {
  const [, name = '', figure = '', unit = ''] = /^([^=]+)=(\d+(?:\.\d+)?)\s*(%|pp)$/.exec(text) ?? [];
  const rule = metricRules.find((each) => each.name === name);
  if (name === '')
    throw usageError(
      `--margin takes metric=10% (or metric=0.2pp for a share), not '${text}'.`,
      'See chat-load compare --help.',
    );
  if (rule === undefined)
    throw usageError(
      `--margin: ${unknownMetric(
        name,
        metricRules.map((each) => each.name),
      )}`,
      `Decisive metrics: ${gateFamily.join(', ')}.`,
    );
  const expected = rule.unit === 'share' ? 'pp' : '%';
  if (unit !== expected)
    throw usageError(
      `--margin: ${name} is ${expected === 'pp' ? 'a share' : 'not a share'}, so set its margin in ${expected === 'pp' ? 'percentage points' : 'per cent'}.`,
      `Write ${name}=${figure}${expected}.`,
    );
  return [name, Number(figure) / 100];
}

type Publishing = Pick<ComparisonOptions, 'format' | 'reports'>;

/** Prints a comparison of releases and writes its reports. Returns the exit code. */
export async function publishComparison(comparison: Comparison, { format, reports }: Publishing): Promise<number> {
  const sources = [...comparison.base.runs, ...comparison.head.runs].flatMap(({ file }) => file ?? []);
  const isDrawn = [format, ...reports.map((each) => each.format)].includes('html');
  const runs = isDrawn ? await readCompared(comparison) : [];
  return publishAny(comparison, { format, reports, sources, runs });
}

async function publishAny(
  comparison: AnyComparison,
  { format, reports, sources, runs }: Publishing & { sources: readonly string[]; runs: readonly Result[] },
): Promise<number> {
  await writeReportFiles(comparison, reports, { sources, runs });
  await summarize(comparison);
  await printDocument(comparison, format, { runs });
  return exitCodeOfComparison(comparison);
}

/** Returns 4 if not comparable; 1 for a regression, a failing inconclusive verdict, or head replies that broke integrity; otherwise 0. */
export function exitCodeOfComparison({
  verdict,
  failOnInconclusive,
  violatedRuns = 0,
}: Pick<AnyComparison, 'verdict' | 'failOnInconclusive'> & Partial<Pick<Comparison, 'violatedRuns'>>): number {
  const otherwise = violatedRuns > 0 ? 1 : 0;
  const inconclusive = failOnInconclusive ? 1 : otherwise;
  return { not_comparable: 4, regressed: 1, inconclusive, improved: otherwise, unchanged: otherwise }[verdict];
}

export async function findChanges(args: Given<'trend'> & { folder: string }): Promise<number> {
  const format = readFormat(args);
  const reports = readReportFiles(args.report, 'chat-load/trend');
  await prepareReports(reports);
  const { 'fail-on': failOn, history, metric: metrics } = args;
  const { trend, runs } = performTrend({ ...args, failOn, metrics });
  await writeReportFiles(trend, reports, { sources: runs.map(({ file }) => join(args.folder, file)), kept: history });
  if (history !== undefined) await keepHistory(runs, history);
  await printDocument(trend, format, { kept: history });
  if (isWithoutVerdict(trend)) return 4;
  return (trend.alarm?.date ?? null) === null ? 0 : 1;
}
