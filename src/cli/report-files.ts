import { extname } from 'node:path';
import { ChatLoadError } from '../base/errors.ts';
import { prepareFile, writeWhole } from '../edge/disk/write-result.ts';
import { formatByExtension, type Format } from '../report/formats.ts';
import { formatsOf } from '../report/render.ts';
import type { Ending } from '../report/words/renderer.ts';
import type { Documents, Kind } from '../report/documents.ts';
import { documentText } from './print-document.ts';
import { inFile } from './terminal.ts';

/** A file that a document is rendered to. */
interface ReportFile {
  path: string;
  format: Format;
}

/** Reads `--report`: the end of a name says the format. Throws a usage error for any other name, before anything is sent. */
export function readReportFiles(paths: readonly string[], kind: Kind = 'chat-load/result'): ReportFile[] {
  const known = formatsOf(kind);
  return paths.map((path) => {
    const format = formatByExtension.get(extname(path).toLowerCase());
    if (format !== undefined && known.includes(format)) return { path, format };
    throw new ChatLoadError('usage', {
      message: `--report ${path}: the file name has no known extension.`,
      hint: `Formats by extension: ${formatsByEnd(known)}.`,
    });
  });
}

function formatsByEnd(known: readonly Format[]): string {
  const given = [...formatByExtension].filter(([, format]) => known.includes(format));
  return given.map(([extension, format]) => `${extension} ${format}`).join(', ');
}

/** Makes the folders of reports, before anything is sent. Throws `environment` for a report that cannot be written. */
export async function prepareReports(paths: readonly string[]): Promise<void> {
  for (const { path } of readReportFiles(paths)) await prepareFile(path, '--report');
}

/** Writes every report that can be written, each with the end that the terminal shows; gives what was thrown for the others. */
export async function writeReports<Each extends Kind>(
  document: Documents[Each] & { kind: Each },
  paths: readonly string[],
  ending: Ending,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const { path, format } of readReportFiles(paths)) {
    try {
      await writeWhole(path, `${await documentText<Each>(document, format, { ...ending, style: inFile })}\n`);
    } catch (thrown) {
      failures.push(thrown);
    }
  }
  return failures;
}
