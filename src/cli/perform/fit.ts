import { printable } from '../../base/printable.ts';
import { dirname, relative, resolve } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { performFit } from '../../app/fit/perform-fit.ts';
import { writeNewFile } from '../../edge/disk/write-new-files.ts';
import type { Fit } from '../../fit/document/fit.ts';
import { fileOf } from '../../report/fit/fit-words.ts';
import { scenarioSource } from '../../report/fit/scenario-source.ts';
import { documentText, printDocument } from '../console/deliver.ts';
import { stderr, stdout } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { traceUnits, type TraceColumns } from '../../trace/trace.ts';

export async function fit({
  files,
  to,
  json,
  seed,
  'reply-time': replyTimeMs,
  columns,
  sort,
}: Given<'fit'> & { files: string[] }): Promise<void> {
  if (to !== undefined && !isScenarioFile(to)) throw noScenarioFile(to);
  const fitted = await performFit({
    files,
    seed,
    replyTimeMs,
    reading: { ...(columns === undefined ? {} : { columns: readColumns(columns) }), sort },
  });
  if (to !== undefined) await writeNewFile({ path: to, text: sourceIn(dirname(to), fitted) });
  if (json || to !== undefined) await printDocument(fitted, json ? 'json' : 'terminal');
  if (to !== undefined) {
    if (!json) stdout.line(`\nwrote     ${printable(to)}`);
    return;
  }
  if (json) return;
  stderr.line(`${await documentText(fitted, 'terminal', { style: stderr })}\n`);
  stdout.line(sourceIn('.', fitted).trimEnd());
}

const isScenarioFile = (path: string): boolean => /\.m?[jt]s$/.test(path);

const noScenarioFile = (path: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `--to takes the file of a scenario, not ${path}.`,
    hint: 'Name one that ends in .ts, .mts, .js or .mjs: --to fitted.ts. The fit as a document is what --json prints.',
  });

/** The scenario as a file of this folder: paths in it are relative to that. */
function sourceIn(folder: string, fit: Fit): string {
  const conversations = fileOf(fit, 'conversations');
  return scenarioSource(fit, {
    conversations:
      conversations === undefined ? undefined : relative(resolve(folder), resolve(conversations)).replaceAll('\\', '/'),
  });
}

const names = ['at', 'session', 'inputTokens', 'outputTokens', 'unit'] as const;

/** Reads `at=time,session=user`. Throws a usage error where it says something else. */
function readColumns(text: string): TraceColumns {
  const entries = text.split(',').map((entry) => {
    const [name = '', ...column] = entry.split('=');
    return [name.trim(), column.join('=').trim()] as const;
  });
  const unknown = entries.find(([name]) => !names.some((known) => known === name));
  if (unknown !== undefined) throw misread(`--columns: ${unknownName('name', unknown[0], names)}`);
  const empty = entries.find(([, column]) => column === '');
  if (empty !== undefined) throw misread(`--columns names no column for ${empty[0]}.`);
  const { unit, ...others } = Object.fromEntries(entries) as Partial<Record<(typeof names)[number], string>>;
  const known = traceUnits.find((each) => each === unit);
  if (unit !== undefined && known === undefined) throw misread(`--columns: ${unknownName('unit', unit, traceUnits)}`);
  return { ...others, ...(known === undefined ? {} : { unit: known }) };
}

const misread = (message: string): ChatLoadError =>
  new ChatLoadError('usage', { message, hint: 'Write it as --columns at=time,session=user,unit=ms.' });
