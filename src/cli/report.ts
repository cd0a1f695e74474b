import { ChatLoadError } from '../base/errors.ts';
import { renderFile, renderFilesAsPage } from '../app/report.ts';
import { requireOtherFiles } from '../edge/disk/require-other-files.ts';
import { writeWhole } from '../edge/disk/write-result.ts';
import { kinds, type Kind } from '../report/documents.ts';
import { formats, singleFormats, type Format, type TextFormat } from '../report/formats.ts';
import { formatsOf } from '../report/render.ts';
import type { Style } from '../report/words/table.ts';
import type { Command } from './command.ts';
import { readFormat, takeFormat } from './flags.ts';
import { inFile, stdout, withoutSecrets } from './terminal.ts';

interface ReportArguments {
  files: string[];
  format?: Format | undefined;
  out: string | undefined;
}

export const reportCommand: Command<ReportArguments> = {
  builder: (yargs) =>
    takeFormat(yargs, formats)
      .positional('files', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'Results, and what other commands print with --json',
      })
      .option('out', { type: 'string', requiresArg: true, describe: 'Write to this file; without it, standard output' })
      .epilogue(
        `Formats: ${kinds.map(formatsInWords).join('; ')}. ` +
          'Exit codes: 0 ok, 2 usage, 3 the file cannot be written, 4 a version that cannot be read.',
      )
      .example('$0 report results/peak.json', 'The tables of a run again')
      .example('$0 report results/peak.json --format html --out peak.html', 'One page to send: charts, gates, tables')
      .example('$0 report a.json b.json --format html --out both.html', 'Several runs over each other')
      .example('$0 report results/peak.json --format junit --out run.xml', 'Its gates for CI')
      .example('$0 report results/peak.json --format hlog --out run.hlog', 'For the tools of HdrHistogram'),
  handler: async ({ files, out, ...args }) => {
    const format = readFormat(args);
    if (files.length > 1 && singleFormats.includes(format))
      throw new ChatLoadError('usage', {
        message: `Several files cannot be one ${format} document.`,
        hint: `Give one file at a time; ${formats.filter((each) => !singleFormats.includes(each)).join(', ')} take several.`,
      });
    await requireOtherFiles({ out }, files);
    const style = out === undefined ? stdout : inFile;
    const text = format === 'html' ? await renderFilesAsPage(files) : await renderAll(files, format, style);
    if (out === undefined) stdout.line(text);
    else await writeWhole(out, `${text}\n`);
  },
};

function formatsInWords(kind: Kind): string {
  return `of a ${kind.slice('chat-load/'.length)}: ${formatsOf(kind).join(', ')}`;
}

async function renderAll(files: readonly string[], format: TextFormat, style: Style): Promise<string> {
  const texts: string[] = [];
  for (const file of files) texts.push((await renderFile(file, format, style, withoutSecrets)).trimEnd());
  return texts.join(format === 'terminal' || format === 'markdown' ? '\n\n' : '\n');
}
