import { usageError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { renderFile, renderFilesAsPage } from '../../app/report.ts';
import { prepareFile, requireOtherFiles, writeWhole } from '../../edge/disk/write-result.ts';
import {
  kinds,
  type Kind,
  formats,
  singleFormats,
  type Format,
  type TextFormat,
  formatsOf,
} from '../../report/documents.ts';
import type { Style } from '../../report/words/table.ts';
import { inFile, stdout, withoutSecrets, stderr } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';
import { dirname } from 'node:path';
import { recoverTo } from '../../app/recover.ts';
import { targetLine } from '../../report/words/target-text.ts';
import { verdictLine } from '../../report/run/verdict-line.ts';
import { exitCodeOf } from '../../result/exit-code.ts';
import { deliver, prepareReports, readFormat, readReportFiles } from '../console/deliver.ts';

export async function report({ files, format, report: paths }: Given<'report'> & { files: string[] }): Promise<void> {
  // A result has every format; the reader of another document refuses those it lacks.
  const reports = readReportFiles(paths, 'chat-load/result');
  const printed = format ?? (reports.length === 0 ? 'terminal' : undefined);
  const single = [printed, ...reports.map((each) => each.format)].find((each) => each && singleFormats.includes(each));
  if (files.length > 1 && single !== undefined)
    throw usageError(
      `Several files cannot be one ${single} document.`,
      `Name one file at a time; ${formats.filter((each) => !singleFormats.includes(each)).join(', ')} take several.`,
    );
  for (const { path } of reports) await requireOtherFiles({ report: path }, files);
  const render = (as: Format, style: Style): Promise<string> =>
    as === 'html' ? renderFilesAsPage(files) : renderAll(files, as, style);
  for (const { path, format: as } of reports) {
    const text = await render(as, inFile);
    await prepareFile(path, '--report');
    await writeWhole(path, `${text}\n`);
    // A document on standard output stays alone.
    (printed === undefined ? stdout : stderr).note(`wrote     ${printable(path)}`);
  }
  if (printed !== undefined) stdout.line(await render(printed, stdout));
}

export function formatsByKind(): string {
  return (
    `Formats by document: ${kinds().map(formatsText).join('; ')}. ` +
    'Exit codes: 0 ok; 2 usage; 3 the file cannot be written; 4 the version of a document is not supported.'
  );
}

function formatsText(kind: Kind): string {
  return `${kind.slice('chat-load/'.length)}: ${formatsOf(kind).join(', ')}`;
}

async function renderAll(files: readonly string[], format: TextFormat, style: Style): Promise<string> {
  const texts: string[] = [];
  for (const file of files) texts.push((await renderFile(file, format, style, withoutSecrets)).trimEnd());
  return texts.join(format === 'terminal' || format === 'markdown' ? '\n\n' : '\n');
}

type RecoverArguments = Given<'recover'> & { journal: string };

export async function recover(args: RecoverArguments): Promise<number> {
  const { journal, out = dirname(journal), quiet, json } = args;
  const format = readFormat(args);
  const reports = readReportFiles(args.report, 'chat-load/result');
  await prepareReports(reports);
  const { result, path } = await recoverTo(out, journal);
  if (quiet || json)
    for (const { code, message } of result.warnings) if (code.startsWith('journal_')) stderr.note(`warning ${message}`);
  const { code } = await deliver(result, {
    format: json ? 'terminal' : format,
    isCompact: json,
    path,
    reports,
    brief: quiet ? [targetLine(result), `result    ${path}`] : undefined,
    concluded: { code: exitCodeOf(result), line: verdictLine(result) },
  });
  return code;
}
