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

export interface NightlyJob {
  scenario: string;
  /** URL of the release to judge, or `embedded`. */
  head: string;
  /** URL of the previous release, if both are deployed. */
  base: string | undefined;
  agentId: string | undefined;
  /** Model, for protocols with models instead of agents. */
  model?: string | undefined;
  /** Number of runs per release. */
  runs: number;
  /** Flags of `run` and `ab` for distributed runs. */
  load?: readonly string[];
  results: string;
  baseline: string;
  reports: string;
}

/** Destination of a command's standard output: a file descriptor, or a function for each line. */
export type CommandOutput = number | ((line: string) => void);

/** Ports that the owner of the process provides to a night. */
export interface NightPorts {
  /** Runs another chat-load command in a child process; resolves with its exit code. */
  perform: (words: readonly string[], output: CommandOutput) => Promise<number>;
  /** Writes a line to standard output. */
  print: (line: string) => void;
  /** Writes a line to standard error. */
  warn: (line: string) => void;
}

/** Outcome of a step of the night. */
interface JobStep {
  code: number;
  /** Last line of the step, or a substitute. */
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
  const steps = new NightSteps(night, ports);
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

class NightSteps {
  readonly #night: NightlyJob;
  readonly #ports: NightPorts;

  constructor(night: NightlyJob, ports: NightPorts) {
    this.#night = night;
    this.#ports = ports;
  }

  /** Runs both deployed releases alternately, and again to confirm an alarm. */
  judgePairs(base: string): Promise<JobStep> {
    const { scenario, head, runs, results } = this.#night;
    return this.#perform('head and base alternately', [
      ...['ab', scenario, '--base', base, '--head', head, '--pairs', String(runs), '--confirm-regression'],
      ...['--base-label', 'base', '--head-label', headLabel, '--out', results, '--quiet'],
      ...agentOf(this.#night),
      ...(this.#night.load ?? []),
      ...reportsOf(this.#night),
    ]);
  }

  /** Compares the night's runs with the stored baseline, with the usual noise of earlier nights. */
  async judgeAlone(): Promise<JobStep> {
    const { scenario, head, runs, results } = this.#night;
    const label = nightLabel(new Date());
    const ran = await this.#perform('the runs of tonight', [
      ...['run', scenario, '--repeat', String(runs), '--label', label, '--out', results, '--quiet'],
      ...['--base-url', head],
      ...agentOf(this.#night),
      ...(this.#night.load ?? []),
    ]);
    // Results with a failed gate (1) are comparable.
    if (ran.code > 1) return ran;
    const compared = await this.#compareWithBaseline(label);
    return compared.code === 0 && ran.code !== 0 ? ran : compared;
  }

  /** Writes the change points over the nights, and the history with the noise for the next comparison. */
  async writeTrend(): Promise<void> {
    const { base, results, reports } = this.#night;
    await requireOwnLinks(join(reports, 'trend.md'));
    const report = await open(join(reports, 'trend.md'), 'w');
    // Only nights of the head are used: mixed with the base, they would represent neither.
    const series = base === undefined ? [] : ['--label', headLabel];
    try {
      const words = ['trend', results, ...series, '--format', 'markdown', '--history', historyOf(this.#night)];
      const code = await this.#ports.perform(words, report.fd);
      if (code !== 0) this.#ports.warn(`trend: no verdict (exit ${String(code)})`);
    } finally {
      await report.close();
    }
  }

  async #compareWithBaseline(label: string): Promise<JobStep> {
    const { baseline, results } = this.#night;
    const places = { label, baseline, results };
    const { baseline: chosen, notes } = chooseBaseline(places);
    this.#printAll(notes);
    if (chosen === undefined) {
      this.#printAll(adviseBaseline(places));
      return { code: 0, line: 'PASSED, but there is no baseline to compare with' };
    }
    const history = historyOf(this.#night);
    const compared = await this.#perform('tonight against the baseline', [
      ...['compare', '--base', ...chosen.sources, '--head', `label:${label}`, '--results', results],
      ...reportsOf(this.#night),
      ...(existsSync(history) ? ['--history', history] : ['--no-history']),
    ]);
    if (compared.code === notComparable) this.#printAll(adviseRefused(places, chosen));
    return compared;
  }

  #printAll(lines: readonly string[]): void {
    for (const line of lines) this.#ports.print(clean(line));
  }

  /** Performs a step; prints its output indented below a title. */
  async #perform(title: string, words: readonly string[]): Promise<JobStep> {
    const { perform, print } = this.#ports;
    print(`${title}:`);
    let last = '';
    const code = await perform(words, (line) => {
      if (line.trim() !== '') last = line;
      print(line === '' ? '' : `  ${line}`);
    });
    print('');
    const isVerdict = code === 0 ? /^(PASSED|INCONCLUSIVE)/.test(last) : /^(FAILED|INVALID): /.test(last);
    if (isVerdict) return { code, line: last };
    return { code, line: code === 0 ? 'PASSED' : failedLine(`${title} ended with exit code ${String(code)}`) };
  }
}

const headLabel = 'head';
/** Exit code of a refused comparison. */
const notComparable = 4;
const historyOf = ({ results }: NightlyJob): string => join(results, 'history.json');
const agentOf = ({ agentId, model }: NightlyJob): string[] => {
  if (model !== undefined) return ['--model', model];
  return agentId === undefined ? [] : ['--agent-id', agentId];
};
const reportsOf = ({ reports }: NightlyJob): string[] => [
  ...['compare.html', 'compare.md', 'compare.xml'].flatMap((name) => ['--report', join(reports, name)]),
];
