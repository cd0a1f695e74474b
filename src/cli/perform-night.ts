import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { prepareFolder } from '../edge/disk/write-result.ts';
import { nightLabel } from '../compare/document/release-of.ts';
import { failedLine } from '../report/words/last-line.ts';
import { runSelf } from './run-self.ts';
import { stderr, stdout } from './terminal.ts';

export interface Night {
  scenario: string;
  /** The URL of the release to judge, or `embedded`. */
  head: string;
  /** The URL of the release before it, where both are deployed. */
  base: string | undefined;
  agentId: string | undefined;
  /** A side. */
  runs: number;
  results: string;
  baseline: string;
  reports: string;
}

/** How a step of the night came out. */
interface Step {
  code: number;
  /** The line that it ended with, or one in its place. */
  line: string;
}

/**
 * A night's job: runs a scenario, compares it with what is known, looks for change points and keeps the history. Each
 * step is a command of its own, in a process of its own, whose text is set in: the verdict on the whole is the last line.
 * Gives the exit code.
 */
export async function performNight(night: Night): Promise<number> {
  for (const folder of [night.results, night.reports]) await prepareFolder(folder);
  const verdict = await (night.base === undefined ? judgeAlone(night) : judgePairs(night, night.base));
  if (!isStopped(verdict.code)) await writeTrend(night);
  stdout.line(verdict.line);
  return verdict.code;
}

/** A gate, a regression and what is not comparable are verdicts; anything else ends the job. */
const isStopped = (code: number): boolean => ![0, 1, 4].includes(code);

async function perform(title: string, words: readonly string[]): Promise<Step> {
  stdout.line(`${title}:`);
  let last = '';
  const code = await runSelf(words, (line) => {
    if (line.trim() !== '') last = line;
    stdout.line(line === '' ? '' : `  ${line}`);
  });
  stdout.line('');
  const isVerdict = code === 0 ? last.startsWith('PASSED') : /^(FAILED|INVALID): /.test(last);
  return {
    code,
    line: isVerdict ? last : code === 0 ? 'PASSED' : failedLine(`${title} ended with exit code ${String(code)}`),
  };
}

/** Both releases are there: in turn, in one sitting, and once more to confirm an alarm. */
const judgePairs = (night: Night, base: string): Promise<Step> =>
  perform('head and base alternately', [
    ...['ab', night.scenario, '--base', base, '--head', night.head, '--pairs', String(night.runs), '--confirm'],
    ...['--base-label', 'base', '--head-label', headLabel, '--out', night.results, '--quiet'],
    ...agentOf(night),
    ...reportsOf(night),
  ]);

/** One release: the night's runs against the kept baseline, with the usual noise of earlier nights. */
async function judgeAlone(night: Night): Promise<Step> {
  const label = nightLabel(new Date());
  const ran = await perform('the runs of tonight', [
    ...['run', night.scenario, '--repeat', String(night.runs), '--label', label, '--out', night.results, '--quiet'],
    ...['--base-url', night.head],
    ...agentOf(night),
  ]);
  // 1 is a gate that failed: the figures are good for a comparison all the same.
  if (ran.code > 1) return ran;
  const compared = await compareWithBaseline(night, label);
  return compared.code === 0 && ran.code !== 0 ? ran : compared;
}

async function compareWithBaseline(night: Night, label: string): Promise<Step> {
  const { baseline, results } = night;
  const history = historyOf(night);
  if (existsSync(baseline))
    return perform('tonight against the baseline', [
      ...['compare', baseline, `label:${label}`, '--in', results, ...reportsOf(night)],
      ...(existsSync(history) ? ['--history', history] : ['--no-history']),
    ]);
  stdout.line(`There is no baseline in ${baseline} yet.`);
  stdout.line(`To compare later nights with this one, copy ${join(results, `*-${label}*.json`)} there.`);
  return { code: 0, line: 'PASSED, but there is no baseline to compare with' };
}

/** Change points over the nights, and the history that the next comparison learns its noise from. */
async function writeTrend(night: Night): Promise<void> {
  const report = await open(join(night.reports, 'trend.md'), 'w');
  // The nights are those of the head: mixed with the base they would be those of neither.
  const series = night.base === undefined ? [] : ['--label', headLabel];
  try {
    const words = ['trend', night.results, ...series, '--format', 'markdown', '--history', historyOf(night)];
    const code = await runSelf(words, report.fd);
    if (code !== 0) stderr.line(`trend: no verdict (exit ${String(code)})`);
  } finally {
    await report.close();
  }
}

const headLabel = 'head';
const historyOf = ({ results }: Night): string => join(results, 'history.json');
const agentOf = ({ agentId }: Night): string[] => (agentId === undefined ? [] : ['--agent-id', agentId]);
const reportsOf = ({ reports }: Night): string[] => [
  ...['--markdown', join(reports, 'compare.md'), '--junit', join(reports, 'compare.xml')],
];
