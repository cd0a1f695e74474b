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
  /** The URL of the release to judge, or `embedded`. */
  head: string;
  /** The URL of the release before it, where both are deployed. */
  base: string | undefined;
  agentId: string | undefined;
  /** The model in its place, for protocols that have models. */
  model?: string | undefined;
  /** A side. */
  runs: number;
  /** Flags of `run` and `ab` that say who plays the runs. */
  load?: readonly string[];
  results: string;
  baseline: string;
  reports: string;
}

/** Where the standard output of a command goes: to a file, or line by line to the caller. */
export type CommandOutput = number | ((line: string) => void);

/** What a night needs from the owner of the process. */
export interface NightPorts {
  /** Performs another command of chat-load in a process of its own; gives its exit code. */
  perform: (words: readonly string[], output: CommandOutput) => Promise<number>;
  /** Writes a line of the text, and one about what went wrong. */
  tell: (line: string) => void;
  warn: (line: string) => void;
}

/** How a step of the night came out. */
interface JobStep {
  code: number;
  /** The line that it ended with, or one in its place. */
  line: string;
}

/**
 * A night's job: runs a scenario, compares it with what is known, looks for change points and keeps the history. Each
 * step is a command of its own, in a process of its own, whose text is indented: the overall verdict is the last line.
 * Gives the exit code.
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
  if (!isStopped(verdict.code)) ports.tell(clean(`The reports are in ${night.reports}.`));
  ports.tell(verdict.line);
  return verdict.code;
}

const reportNames = ['compare.html', 'compare.md', 'compare.xml', 'trend.md'];

/** A folder and those above it, as far as they do not exist, the innermost first. */
function missingFolders(folder: string): string[] {
  const path = resolve(folder);
  return existsSync(path) ? [] : [path, ...missingFolders(dirname(path))];
}

/** On GitHub, the trend and the verdict on the whole follow what each step has added to the summary. */
async function summarize({ reports }: NightlyJob, { code, line }: JobStep, { warn }: NightPorts): Promise<void> {
  const warning = await appendStepSummary(async () => {
    const trend = isStopped(code) ? '' : await readFile(join(reports, 'trend.md'), 'utf8');
    return `${trend}\n### ${escapeMarkdown(line)}`;
  });
  if (warning !== undefined) warn(`warning ${warning}`);
}

/** A gate, a regression and what is not comparable are verdicts; anything else ends the job. */
const isStopped = (code: number): boolean => ![0, 1, 4].includes(code);

class NightSteps {
  readonly #night: NightlyJob;
  readonly #ports: NightPorts;

  constructor(night: NightlyJob, ports: NightPorts) {
    this.#night = night;
    this.#ports = ports;
  }

  /** Both releases are deployed: alternately, in one sitting, and again to confirm an alarm. */
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

  /** One release: the night's runs against the kept baseline, with the usual noise of earlier nights. */
  async judgeAlone(): Promise<JobStep> {
    const { scenario, head, runs, results } = this.#night;
    const label = nightLabel(new Date());
    const ran = await this.#perform('the runs of tonight', [
      ...['run', scenario, '--repeat', String(runs), '--label', label, '--out', results, '--quiet'],
      ...['--base-url', head],
      ...agentOf(this.#night),
      ...(this.#night.load ?? []),
    ]);
    // 1 is a gate that failed: the figures are good for a comparison all the same.
    if (ran.code > 1) return ran;
    const compared = await this.#compareWithBaseline(label);
    return compared.code === 0 && ran.code !== 0 ? ran : compared;
  }

  /** Change points over the nights, and the history that the next comparison learns its noise from. */
  async writeTrend(): Promise<void> {
    const { base, results, reports } = this.#night;
    await requireOwnLinks(join(reports, 'trend.md'));
    const report = await open(join(reports, 'trend.md'), 'w');
    // The nights are those of the head: mixed with the base they would represent neither.
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
    this.#tellAll(notes);
    if (chosen === undefined) {
      this.#tellAll(adviseBaseline(places));
      return { code: 0, line: 'PASSED, but there is no baseline to compare with' };
    }
    const history = historyOf(this.#night);
    const compared = await this.#perform('tonight against the baseline', [
      ...['compare', '--base', ...chosen.sources, '--head', `label:${label}`, '--results', results],
      ...reportsOf(this.#night),
      ...(existsSync(history) ? ['--history', history] : ['--no-history']),
    ]);
    if (compared.code === notComparable) this.#tellAll(adviseRefused(places, chosen));
    return compared;
  }

  #tellAll(lines: readonly string[]): void {
    for (const line of lines) this.#ports.tell(clean(line));
  }

  /** Performs a step, its text indented below a title. */
  async #perform(title: string, words: readonly string[]): Promise<JobStep> {
    const { perform, tell } = this.#ports;
    tell(`${title}:`);
    let last = '';
    const code = await perform(words, (line) => {
      if (line.trim() !== '') last = line;
      tell(line === '' ? '' : `  ${line}`);
    });
    tell('');
    const isVerdict = code === 0 ? last.startsWith('PASSED') : /^(FAILED|INVALID): /.test(last);
    if (isVerdict) return { code, line: last };
    return { code, line: code === 0 ? 'PASSED' : failedLine(`${title} ended with exit code ${String(code)}`) };
  }
}

const headLabel = 'head';
/** The exit code of a comparison that was refused. */
const notComparable = 4;
const historyOf = ({ results }: NightlyJob): string => join(results, 'history.json');
const agentOf = ({ agentId, model }: NightlyJob): string[] => {
  if (model !== undefined) return ['--model', model];
  return agentId === undefined ? [] : ['--agent-id', agentId];
};
const reportsOf = ({ reports }: NightlyJob): string[] => [
  ...['compare.html', 'compare.md', 'compare.xml'].flatMap((name) => ['--report', join(reports, name)]),
];
