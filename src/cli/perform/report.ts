import { renderFile, renderFilesAsPage } from '../../app/report.ts';
import { requireOtherFiles, writeWhole } from '../../edge/disk/write-result.ts';
import { kinds, type Kind } from '../../report/documents.ts';
import { formats, singleFormats, type TextFormat } from '../../report/formats.ts';
import { formatsOf } from '../../report/render.ts';
import type { Style } from '../../report/words/table.ts';
import { inFile, stdout, withoutSecrets } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';
import { usage } from '../parser/rows.ts';

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
