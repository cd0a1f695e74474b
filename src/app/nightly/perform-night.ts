import { existsSync } from 'node:fs';
import { open, readFile, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { appendStepSummary, prepareFile, prepareFolder } from '../../edge/disk/write-result.ts';
import { requireOwnLinks } from '../../edge/disk/make-folder.ts';
import { nightLabel } from '../../compare/document/group-of.ts';
import { failedLine } from '../../report/words/last-line.ts';
import { escapeMarkdown } from '../../report/words/markdown-text.ts';
import { clean } from '../../report/words/paragraph.ts';
import { adviseBaseline, adviseRefused, chooseBaseline } from './choose-baseline.ts';

interface NightlyJob {
  scenario: string;
  /** URL of the release to judge, or `embedded`. */
  head: string;
  /** URL of the previous release, if both are deployed. */
  base: string | undefined;
  agentId: string | undefined;
  model?: string | undefined;
  runs: number;
  /** Flags of `run` and `ab` for distributed runs. */
  load?: readonly string[];
  results: string;
  baseline: string;
  reports: string;
}

/** Destination of a command's standard output: a file descriptor, or a function for each line. */
export type CommandOutput = number | ((line: string) => void);

export interface NightPorts {
  /** Runs another chat-load command in a child process, calls `failed` with its error, if any, and resolves with its exit code. */
  perform: (words: readonly string[], output: CommandOutput, failed?: (error: string) => void) => Promise<number>;
  print: (line: string) => void;
  warn: (line: string) => void;
}

interface JobStep {
  code: number;
  line: string;
}

/**
 * Performs a night's job: runs a scenario, compares it with the baseline, finds change points and stores the history. Each
 * step is a command in a child process, whose output is indented; the last line is the overall verdict. Resolves with the
 * exit code.
 */
export async function performNight(night: NightlyJob, ports: NightPorts): Promise<number> {
  const made = [night.results, night.reports].flatMap(missingFolders);
  for (const folder of [night.results, night.reports]) await prepareFolder(folder);
  await prepareFile(historyOf(night), '--results', { isPlain: true });
  for (const name of reportNames) await prepareFile(join(night.reports, name), '--reports', { isPlain: true });
  const steps = stepsOf(night, ports);
  const verdict = await (night.base === undefined ? steps.judgeAlone() : steps.judgePairs(night.base));
  // A night without results leaves nothing: only empty folders can be removed in this way.
  if (isStopped(verdict.code)) for (const folder of made) await rmdir(folder).catch(() => undefined);
  if (!isStopped(verdict.code)) await steps.writeTrend();
  await summarize(night, verdict, ports);
  if (!isStopped(verdict.code)) ports.print(clean(`The reports are in ${night.reports}.`));
  ports.print(verdict.line);
  return verdict.code;
}

const reportNames = ['compare.html', 'compare.md', 'compare.xml', 'trend.md'];

/** Returns the missing folders of a path, the innermost first. */
function missingFolders(folder: string): string[] {
  const path = resolve(folder);
  return existsSync(path) ? [] : [path, ...missingFolders(dirname(path))];
}

/** Appends the trend and the overall verdict to the step summary on GitHub, after the summaries of the steps. */
async function summarize({ reports }: NightlyJob, { code, line }: JobStep, { warn }: NightPorts): Promise<void> {
  const warning = await appendStepSummary(async () => {
    const trend = isStopped(code) ? '' : await readFile(join(reports, 'trend.md'), 'utf8');
    return `${trend}\n### ${escapeMarkdown(line)}`;
  });
  if (warning !== undefined) warn(`warning ${warning}`);
}

/** Reports whether a code ends the job; failed gates, regressions and incomparable results are verdicts. */
const isStopped = (code: number): boolean => ![0, 1, 4].includes(code);

function stepsOf(night: NightlyJob, { perform, print, warn }: NightPorts) {
  const { scenario, head, base, runs, results, reports, baseline, load = [] } = night;
  const history = historyOf(night);
  const agent =
    night.model !== undefined
      ? ['--model', night.model]
      : night.agentId === undefined
        ? []
        : ['--agent-id', night.agentId];
  const reportFlags = ['compare.html', 'compare.md', 'compare.xml'].flatMap((name) => [
    '--report',
    join(reports, name),
  ]);

  const printAll = (lines: readonly string[]): void => lines.forEach((line) => print(clean(line)));

  /** Performs a step; prints its output indented below a title. */
  const step = async (title: string, words: readonly string[]): Promise<JobStep> => {
    print(`${title}:`);
    let last = '';
    let cause = '';
    const code = await perform(
      words,
      (line) => {
        if (line.trim() !== '') last = line;
        print(line === '' ? '' : `  ${line}`);
      },
      (error) => (cause = error),
    );
    print('');
    const isVerdict = code === 0 ? /^(PASSED|INCONCLUSIVE)/.test(last) : /^(FAILED|INVALID): /.test(last);
    if (isVerdict) return { code, line: last };
    return { code, line: code === 0 ? 'PASSED' : failedLine(cause || `${title} ended with exit code ${String(code)}`) };
  };

  const compareWithBaseline = async (label: string): Promise<JobStep> => {
    const places = { label, baseline, results };
    const { baseline: chosen, notes } = chooseBaseline(places);
    printAll(notes);
    if (chosen === undefined) {
      printAll(adviseBaseline(places));
      return { code: 0, line: 'PASSED, but no baseline to compare with' };
    }
    const compared = await step('tonight against the baseline', [
      ...['compare', '--base', ...chosen.sources, '--head', `label:${label}`, '--results', results],
      ...reportFlags,
      ...(existsSync(history) ? ['--history', history] : ['--no-history']),
    ]);
    // The comparison was refused.
    if (compared.code === 4) printAll(adviseRefused(places, chosen));
    return compared;
  };

  return {
    /** Runs both deployed releases alternately, and again to confirm an alarm. */
    judgePairs: (deployed: string): Promise<JobStep> =>
      step('head and base alternately', [
        ...['ab', scenario, '--base', deployed, '--head', head, '--pairs', String(runs), '--confirm-regression'],
        ...['--base-label', 'base', '--head-label', headLabel, '--out', results, '--quiet'],
        ...agent,
        ...load,
        ...reportFlags,
      ]),
    /** Compares the night's runs with the stored baseline, with the usual noise of earlier nights. */
    judgeAlone: async (): Promise<JobStep> => {
      const label = nightLabel(new Date());
      const ran = await step('the runs of tonight', [
        ...['run', scenario, '--repeat', String(runs), '--label', label, '--out', results, '--quiet'],
        ...['--base-url', head],
        ...agent,
        ...load,
      ]);
      // Results with a failed gate (1) are comparable.
      if (ran.code > 1) return ran;
      const compared = await compareWithBaseline(label);
      return compared.code === 0 && ran.code !== 0 ? ran : compared;
    },
    /** Writes the change points over the nights, and the history with the noise for the next comparison. */
    writeTrend: async (): Promise<void> => {
      await requireOwnLinks(join(reports, 'trend.md'));
      const report = await open(join(reports, 'trend.md'), 'w');
      // Only nights of the head are used: mixed with the base, they would represent neither.
      const series = base === undefined ? [] : ['--label', headLabel];
      try {
        const code = await perform(
          ['trend', results, ...series, '--format', 'markdown', '--history', history],
          report.fd,
        );
        if (code !== 0) warn(`trend: no verdict (exit ${String(code)})`);
      } finally {
        await report.close();
      }
    },
  };
}

const headLabel = 'head';
const historyOf = ({ results }: NightlyJob): string => join(results, 'history.json');
