import { printableLines, printable, printableJson } from '../../base/printable.ts';
import { extname } from 'node:path';
import { renderOne } from '../../app/report.ts';
import { messageOf, usageError } from '../../base/errors.ts';
import { requireOtherFiles, appendStepSummary, prepareFile, writeWhole } from '../../edge/disk/write-result.ts';
import type { Plan } from '../../plan/plan.ts';
import { isAnonymous } from '../../plan/resolve-auth.ts';
import {
  type Annotations,
  type Documents,
  type Kind,
  formatByExtension,
  type Format,
  formatsOf,
} from '../../report/documents.ts';
import { failedLine } from '../../report/words/last-line.ts';
import type { Ending } from '../../report/outline/report.ts';
import type { Style } from '../../report/words/table.ts';
import { reportError, inFile, stderr, stdout, withoutSecrets } from './terminal.ts';
import { exitCodeOf, isNormalEnd, worstExitCode } from '../../result/exit-code.ts';
import type { Stop } from '../../result/sections/run-facts.ts';
import { verdictLine } from '../../report/run/verdict-line.ts';
import { describeRefusedKey } from '../../protocol/refused-key.ts';
import type { Placed, Recorded } from '../../app/run/record-run.ts';
import type { Stops } from '../../app/run/ports.ts';

export interface ReportFile {
  path: string;
  format: Format;
}

interface Delivery extends Ending {
  format: Format;
  /** Print it as one line of JSON. */
  isCompact?: boolean;
  /** Lines that replace the tables on a quiet terminal. */
  brief?: readonly string[] | undefined;
  reports?: readonly ReportFile[];
  concluded: Conclusion;
  /** True if it is added to the step summary on GitHub after its reports are written. */
  isSummarized?: boolean;
  /** True if the last line reports the latest failure instead of the failure that determines the exit code. */
  showsLatest?: boolean;
}

/** Writes and prints a document; brief output ends with the verdict. Returns the conclusion, including failed reports. */
export async function deliver<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  { format, isCompact = false, brief, reports = [], concluded, isSummarized, showsLatest, ...ending }: Delivery,
): Promise<Conclusion> {
  const failures = await writeReports<Each>(document, reports, { verdict: concluded.line, ...ending });
  const worst = worstConclusion([concluded, ...failures]) ?? concluded;
  const { line } = showsLatest === true ? (failures.at(-1) ?? concluded) : worst;
  if (isSummarized === true) await summarize<Each>(document, line);
  const verdict = { ...ending, verdict: line };
  if (isCompact) stdout.line(printableJson(document));
  else if (brief === undefined || format !== 'terminal') await printDocument<Each>(document, format, verdict);
  else for (const each of [...brief, line]) stdout.note(each);
  return worst;
}

/** Returns the format requested with `--format` or `--json`. Throws a usage error if they contradict. */
export function readFormat<Each extends string>({
  format,
  json,
}: {
  format: Each | undefined;
  json: boolean;
}): Each | 'terminal' | 'json' {
  if (!json) return format ?? 'terminal';
  if (format === undefined || format === 'json') return 'json';
  throw usageError(`--json and --format ${format} request different formats.`, 'Omit one of them.');
}

/** Renders a document without a final line break; default style: standard output. */
export async function documentText<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  format: Format | Annotations,
  { style = stdout, ...ending }: Ending & { style?: Style } = {},
): Promise<string> {
  const text = await renderOne<Each>(withoutSecrets(document), { format, style, ...ending });
  if (text === undefined) throw new Error(`${document.kind} has no format ${format}`);
  return text;
}

export async function printDocument<Each extends Kind>(
  ...[document, format, ending]: Parameters<typeof documentText<Each>>
): Promise<void> {
  stdout.line(await documentText<Each>(document, format, ending));
}

/** Writes a document to files, none of which may be one of its sources. Throws if one cannot be written. */
export async function writeReportFiles<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  reports: readonly ReportFile[],
  { sources = [], ...ending }: Ending & { sources?: readonly string[] } = {},
): Promise<void> {
  for (const { path } of reports) await requireOtherFiles({ report: path }, sources);
  for (const { path, format } of reports)
    await writeWhole(path, `${await documentText<Each>(document, format, { ...ending, style: inFile })}\n`);
}

/** Adds a document to the step summary on GitHub, and its failures as annotations. */
export async function summarize<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  verdict?: string,
): Promise<void> {
  const warning = await appendStepSummary(() => documentText<Each>(document, 'markdown', { verdict }));
  if (warning !== undefined) stderr.note(`warning ${warning}`);
  if (process.env['GITHUB_ACTIONS'] !== 'true') return;
  const annotations = await documentText<Each>(document, 'annotations', { verdict });
  for (const line of annotations.split('\n').filter((each) => each !== '')) stderr.command(line);
}

/** Reads `--report`: the extension selects the format. Throws a usage error for an unknown extension. */
export function readReportFiles(paths: readonly string[], kind: Kind): ReportFile[] {
  const known = formatsOf(kind);
  return paths.map((path) => {
    const format = formatByExtension.get(extname(path).toLowerCase());
    if (format !== undefined && known.includes(format)) return { path, format };
    const given = [...formatByExtension].filter(([, each]) => known.includes(each));
    throw usageError(
      `--report ${path}: unknown extension.`,
      `Formats by extension: ${given.map(([extension, each]) => `${extension} ${each}`).join(', ')}.`,
    );
  });
}

/** Creates the folders of reports, before anything is sent. Throws `environment` for a report that cannot be written. */
export async function prepareReports(files: readonly ReportFile[]): Promise<void> {
  for (const { path } of files) await prepareFile(path, '--report');
}

/** Writes all reports, each with the final line of the terminal. Returns a conclusion for each one that failed. */
async function writeReports<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  files: readonly ReportFile[],
  ending: Ending,
): Promise<Conclusion[]> {
  const failures: Conclusion[] = [];
  for (const { path, format } of files) {
    try {
      await writeWhole(path, `${await documentText<Each>(document, format, { ...ending, style: inFile })}\n`);
    } catch (thrown) {
      failures.push({ code: reportError(thrown), line: failedLine(messageOf(thrown)) });
    }
  }
  return failures;
}

/** Exit code of a command, and the last line of its output. */
export interface Conclusion {
  code: number;
  line: string;
}

/**
 * Reports on standard error why a run ended early, and if its result was not written to the requested path, which is a
 * failure too. Returns the conclusion. To be called before printing: nothing follows the last line.
 */
export function concludeRun({ result, stop, path, misplaced }: Recorded, stops: Stops): Conclusion {
  const signal = stops.signal();
  const isError = stop?.kind === 'bug' || stop?.kind === 'scenario_error';
  if (!isError && result.run.stop !== null) reportStop(result.run.stop, result.scenario.plan.target);
  const code = isError ? reportError(stop.error) : exitCodeOf(result, signal);
  const failedLate = stop !== undefined && result.run.stop === null;
  const line = failedLate
    ? failedLine('code of the scenario failed just after the run had ended')
    : verdictLine(result, signal);
  return concludeWrite({ code, line }, { path, misplaced }, 'result');
}

/** Reports on standard error if a document was not written to the requested path, which is a failure. */
export function concludeWrite(concluded: Conclusion, { misplaced, path }: Placed, noun: string): Conclusion {
  if (misplaced === undefined) return concluded;
  stderr.line(`${stderr.colors.red('error')} ${printableLines(misplaced.message)}`);
  stderr.note(`The ${noun} was written elsewhere: ${path}`);
  const failed = { code: 3, line: failedLine(misplaced.message) };
  return worstConclusion([failed, concluded]) ?? failed;
}

/** Returns the conclusion that determines the exit code: the first of the worst, preferring one with a caveat to a plain `PASSED`. */
export function worstConclusion(conclusions: readonly Conclusion[]): Conclusion | undefined {
  const worst = worstExitCode(conclusions.map(({ code }) => code));
  const deciding = conclusions.filter(({ code }) => code === worst);
  return deciding.find(({ line }) => line !== 'PASSED') ?? deciding[0];
}

/** Reports why a run stopped, except for a signal, whose sender knows. */
function reportStop(stop: Stop, target: Plan['target']): void {
  const { kind, reason, remedy } = stop;
  if (kind === 'signal') return;
  const ended = /[.?!]$/.test(reason) ? reason : `${reason}.`;
  const what =
    kind === 'circuit'
      ? describeRefusedKey({ seen: reason, isAnonymous: isAnonymous(target) })
      : `The run was stopped: ${ended}`;
  if (isNormalEnd(stop)) stderr.note(what);
  else stderr.line(`${stderr.colors.red('error')} ${printable(what)}`);
  if (remedy !== null) stderr.note(remedy);
}
