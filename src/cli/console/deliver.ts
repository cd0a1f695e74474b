import { printableLines, printable, printableJson } from '../../base/printable.ts';
import { extname } from 'node:path';
import { renderOne } from '../../app/render-document.ts';
import { ChatLoadError, messageOf } from '../../base/errors.ts';
import { requireOtherFiles, appendStepSummary, prepareFile, writeWhole } from '../../edge/disk/write-result.ts';
import type { Documents, Kind } from '../../report/documents.ts';
import { formatByExtension, type Format } from '../../report/documents.ts';
import { formatsOf } from '../../report/documents.ts';
import { failedLine } from '../../report/words/last-line.ts';
import type { Ending } from '../../report/outline/report.ts';
import type { Style } from '../../report/words/table.ts';
import { reportError } from './report-error.ts';
import { inFile, stderr, stdout, withoutSecrets } from './terminal.ts';
import { exitCodeOf, isOrderly, worstExitCode } from '../../result/exit-code.ts';
import type { Stop } from '../../result/sections/run-facts.ts';
import { verdictLine } from '../../report/run/verdict-line.ts';
import { wordRefusedKey } from '../../protocol/refused-key.ts';
import type { RunStop } from '../../schedule/stop/stop-controller.ts';
import type { Placed, Recorded } from '../../app/run/record-run.ts';
import type { Stops } from '../../app/run/ports.ts';

/** A file that a document is rendered to. */
export interface ReportFile {
  path: string;
  format: Format;
}

/** Where a document goes besides the file of its command, and how it is printed. */
interface Delivery extends Ending {
  format: Format;
  /** Print it as one line of JSON. */
  isCompact?: boolean;
  /** Lines in place of the tables on a quiet terminal. */
  brief?: readonly string[] | undefined;
  reports?: readonly ReportFile[];
  /** How it came out so far. */
  concluded: Conclusion;
  /** Whether it goes to the summary of a step on GitHub, once its reports are written. */
  isSummed?: boolean;
  /** Whether the last line tells the latest failure; otherwise it tells what decided the exit code. */
  tellsLatest?: boolean;
}

/** The last line of a brief text is the verdict; gives how it came out, a report that cannot be written included. */
export async function deliver<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  { format, isCompact = false, brief, reports = [], concluded, isSummed, tellsLatest, ...ending }: Delivery,
): Promise<Conclusion> {
  const failures = await writeReports<Each>(document, reports, { verdict: concluded.line, ...ending });
  const worst = worstConclusion([concluded, ...failures]) ?? concluded;
  const { line } = tellsLatest === true ? (failures.at(-1) ?? concluded) : worst;
  if (isSummed === true) await summarize<Each>(document, line);
  const verdict = { ...ending, verdict: line };
  if (isCompact) stdout.line(printableJson(document));
  else if (brief === undefined || format !== 'terminal') await printDocument<Each>(document, format, verdict);
  else for (const each of [...brief, line]) stdout.note(each);
  return worst;
}

/** The format that was asked for, by `--format` or `--json`. Throws a usage error where they ask for two. */
export function readFormat<Each extends string>({
  format,
  json,
}: {
  format: Each | undefined;
  json: boolean;
}): Each | 'terminal' | 'json' {
  if (!json) return format ?? 'terminal';
  if (format === undefined || format === 'json') return 'json';
  throw new ChatLoadError('usage', {
    message: `--json and --format ${format} ask for two formats.`,
    hint: 'Give one of them.',
  });
}

/** Renders a document, for standard output unless a style says where, without a line break at its end. */
export async function documentText<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  format: Format,
  { style = stdout, ...ending }: Ending & { style?: Style } = {},
): Promise<string> {
  const text = await renderOne<Each>(withoutSecrets(document), { format, style, ...ending });
  if (text === undefined) throw new Error(`${document.kind} has no format ${format}`);
  return text;
}

/** Prints a document on standard output. */
export async function printDocument<Each extends Kind>(
  ...[document, format, ending]: Parameters<typeof documentText<Each>>
): Promise<void> {
  stdout.line(await documentText<Each>(document, format, ending));
}

/** Writes a document to files of its own that no file it was made from may be. Throws where one cannot be written. */
export async function writeBeside<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  files: Readonly<Partial<Record<Format, string | undefined>>>,
  { sources, ...ending }: Ending & { sources: readonly string[] },
): Promise<void> {
  await requireOtherFiles({ ...files }, sources);
  for (const [format, path] of Object.entries(files) as [Format, string | undefined][])
    if (path !== undefined) await writeWhole(path, `${await documentText<Each>(document, format, ending)}\n`);
}

/** Puts a document in the summary of its step, on GitHub. */
export async function summarize<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  verdict?: string,
): Promise<void> {
  const warning = await appendStepSummary(() => documentText<Each>(document, 'markdown', { verdict }));
  if (warning !== undefined) stderr.note(`warning ${warning}`);
}

/** Reads `--report`: the end of a name says the format. Throws a usage error for any other name, before anything is sent. */
export function readReportFiles(paths: readonly string[], kind: Kind): ReportFile[] {
  const known = formatsOf(kind);
  return paths.map((path) => {
    const format = formatByExtension.get(extname(path).toLowerCase());
    if (format !== undefined && known.includes(format)) return { path, format };
    const given = [...formatByExtension].filter(([, each]) => known.includes(each));
    throw new ChatLoadError('usage', {
      message: `--report ${path}: the file name has no known extension.`,
      hint: `Formats by extension: ${given.map(([extension, each]) => `${extension} ${each}`).join(', ')}.`,
    });
  });
}

/** Makes the folders of reports, before anything is sent. Throws `environment` for a report that cannot be written. */
export async function prepareReports(files: readonly ReportFile[]): Promise<void> {
  for (const { path } of files) await prepareFile(path, '--report');
}

/** Writes every report that can be written, each with the end that the terminal shows; gives how the others failed. */
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

/** How a run came out: its exit code, and the line about it that the text ends with. */
export interface Conclusion {
  code: number;
  line: string;
}

/**
 * Says on standard error why a recorded run ended early, if it did, and when its result is not where it was asked for,
 * which is a failure too; gives how it came out. Nothing is said after the line, so this goes before what ends with it.
 */
export function concludeRun({ result, stop, path, misplaced }: Recorded, stops: Stops): Conclusion {
  const signal = stops.signal();
  const code = stopExitCode(result.run.stop, stop) ?? exitCodeOf(result, signal);
  const failedLate = stop !== undefined && result.run.stop === null;
  const line = failedLate ? failedLine(lateFailure) : verdictLine(result, signal);
  return concludePlace({ code, line }, { path, misplaced }, 'result');
}

/** Says on standard error that a document is not where it was asked for, if so, which is a failure; `noun`: what it is. */
export function concludePlace(concluded: Conclusion, { misplaced, path }: Placed, noun: string): Conclusion {
  if (misplaced === undefined) return concluded;
  stderr.line(`${stderr.colors.red('error')} ${printableLines(misplaced.message)}`);
  stderr.note(`The ${noun} was written elsewhere: ${path}`);
  const failed = { code: 3, line: failedLine(misplaced.message) };
  return worstConclusion([failed, concluded]) ?? failed;
}

/** Its result does not say so: it was complete by then. */
const lateFailure = 'code of the scenario failed just after the run had ended';

/** The run that decides about all of them: the first of the worst, one with something to say before one that just passed. */
export function worstConclusion(conclusions: readonly Conclusion[]): Conclusion | undefined {
  const worst = worstExitCode(conclusions.map(({ code }) => code));
  const deciding = conclusions.filter(({ code }) => code === worst);
  return deciding.find(({ line }) => line !== 'PASSED') ?? deciding[0];
}

/** Gives the exit code where an error decides it. */
function stopExitCode(published: Stop | null, stop: RunStop | undefined): number | undefined {
  if (stop?.kind === 'bug' || stop?.kind === 'scenario_error') return reportError(stop.error);
  if (published !== null) reportStop(published);
  return undefined;
}

/** The sender of a signal knows about it. */
function reportStop(stop: Stop): void {
  const { kind, reason, remedy } = stop;
  if (kind === 'signal') return;
  const what = kind === 'circuit' ? wordRefusedKey(reason) : `The run was stopped: ${ended(reason)}`;
  if (isOrderly(stop)) stderr.note(what);
  else stderr.line(`${stderr.colors.red('error')} ${printable(what)}`);
  if (remedy !== null) stderr.note(remedy);
}

/** With a full stop, if the text has none. */
const ended = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);
