import { renderFile, renderFilesAsPage } from '../../app/report.ts';
import { requireOtherFiles, writeWhole } from '../../edge/disk/write-result.ts';
import { kinds, type Kind } from '../../report/documents.ts';
import { formats, singleFormats, type TextFormat } from '../../report/documents.ts';
import { formatsOf } from '../../report/documents.ts';
import type { Style } from '../../report/words/table.ts';
import { inFile, stdout, withoutSecrets, stderr } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';
import { usage } from '../parser/rows.ts';
import { dirname } from 'node:path';
import { recoverTo } from '../../app/recover.ts';
import { targetLine } from '../../report/words/target-text.ts';
import { verdictLine } from '../../report/run/verdict-line.ts';
import { exitCodeOf } from '../../result/exit-code.ts';
import { deliver } from '../console/deliver.ts';

export async function report({
  files,
  out,
  format = 'terminal',
}: Given<'report'> & { files: string[] }): Promise<void> {
  if (files.length > 1 && singleFormats.includes(format))
    throw usage(
      `Several files cannot be one ${format} document.`,
      `Give one file at a time; ${formats.filter((each) => !singleFormats.includes(each)).join(', ')} take several.`,
    );
  await requireOtherFiles({ out }, files);
  const style = out === undefined ? stdout : inFile;
  const text = format === 'html' ? await renderFilesAsPage(files) : await renderAll(files, format, style);
  if (out === undefined) stdout.line(text);
  else await writeWhole(out, `${text}\n`);
}

/** The formats of every kind of document, in words. */
export function formatsByKind(): string {
  return (
    `Formats: ${kinds.map(formatsInWords).join('; ')}. ` +
    'Exit codes: 0 ok, 2 usage, 3 the file cannot be written, 4 a version that cannot be read.'
  );
}

function formatsInWords(kind: Kind): string {
  return `of a ${kind.slice('chat-load/'.length)}: ${formatsOf(kind).join(', ')}`;
}

async function renderAll(files: readonly string[], format: TextFormat, style: Style): Promise<string> {
  const texts: string[] = [];
  for (const file of files) texts.push((await renderFile(file, format, style, withoutSecrets)).trimEnd());
  return texts.join(format === 'terminal' || format === 'markdown' ? '\n\n' : '\n');
}

type RecoverArguments = Given<'recover'> & { journal: string };

export async function recover({ journal, out = dirname(journal), quiet, json }: RecoverArguments): Promise<number> {
  const { result, path } = await recoverTo(out, journal);
  if (quiet || json)
    for (const { code, message } of result.warnings) if (code.startsWith('journal_')) stderr.note(`warning ${message}`);
  const { code } = await deliver(result, {
    format: 'terminal',
    isCompact: json,
    path,
    brief: quiet ? [targetLine(result), `result    ${path}`] : undefined,
    concluded: { code: exitCodeOf(result), line: verdictLine(result) },
  });
  return code;
}
