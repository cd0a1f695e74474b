import type { Fit } from '../../fit/document/fit.ts';
import { writeNewFile, openNewStream } from '../../edge/disk/write-new-files.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { traceInputs, traceUnits, type TraceColumns } from '../../trace/trace.ts';
import { stdout, stderr, pipeSink } from '../console/terminal.ts';
import { scenarioSource } from '../../report/fit/scenario-source.ts';
import { printDocument, documentText } from '../console/deliver.ts';
import { performFit } from '../../app/fit/perform-fit.ts';
import { inspectDataset, convertDataset, type Conversion } from '../../app/dataset/convert-dataset.ts';
import { fileOf } from '../../report/fit/fit-text.ts';
import type { Given } from '../parser/options.ts';
import { printable } from '../../base/printable.ts';
import { dirname, relative, resolve } from 'node:path';
import { type ChatLoadError, usageError } from '../../base/errors.ts';
import { columnRoles, type TableColumns } from '../../dataset/formats/table-columns.ts';
import { languageOf } from '../../dataset/formats/repair-conversation.ts';
import { requireOtherFiles } from '../../edge/disk/write-result.ts';
import { conversionLines } from '../../report/dataset/conversion-lines.ts';

export async function fit({
  files,
  to,
  json,
  seed,
  'reply-time': replyTimeMs,
  columns,
  sort,
}: Given<'fit'> & { files: string[] }): Promise<void> {
  if (to !== undefined && !/\.m?[jt]s$/.test(to))
    throw usageError(
      `--to takes a scenario file, not ${to}.`,
      'Name a file that ends in .ts, .mts, .js or .mjs: --to fitted.ts. To print the fit as a document, use --json.',
    );
  const fitted = await performFit({
    files,
    seed,
    replyTimeMs,
    reading: { ...(columns === undefined ? {} : { columns: readColumns(columns) }), sort },
  });
  if (to !== undefined) await writeNewFile({ path: to, text: sourceIn(dirname(to), fitted) });
  if (json || to !== undefined) await printDocument(fitted, json ? 'json' : 'terminal');
  if (to !== undefined && !json) stdout.line(`\nwrote     ${printable(to)}`);
  if (to !== undefined || json) return;
  stderr.line(`${await documentText(fitted, 'terminal', { style: stderr })}\n`);
  stdout.line(sourceIn('.', fitted).trimEnd());
}

function sourceIn(folder: string, fit: Fit): string {
  const conversations = fileOf(fit, 'conversations');
  return scenarioSource(fit, {
    conversations:
      conversations === undefined ? undefined : relative(resolve(folder), resolve(conversations)).replaceAll('\\', '/'),
  });
}

const traceNames = ['at', 'session', 'inputTokens', 'outputTokens', 'unit', 'input'] as const;

/** Reads `at=time,session=user`. Throws a usage error for other text. */
function readColumns(text: string): TraceColumns {
  const { unit, input, ...others } = readMapping(text, traceNames, traceExample);
  return {
    ...others,
    ...(unit === undefined ? {} : { unit: oneOf('unit', unit, traceUnits) }),
    ...(input === undefined ? {} : { input: oneOf('input', input, traceInputs) }),
  };
}

/** Reads a column mapping, `name=column,...`. Throws a usage error for other text, or a name that is not one of `names`. */
function readMapping<Name extends string>(
  text: string,
  names: readonly Name[],
  example: string,
): Partial<Record<Name, string>> {
  const entries = text.split(',').map((entry) => {
    const [name = '', ...column] = entry.split('=');
    return [name.trim(), column.join('=').trim()] as const;
  });
  const unknown = entries.find(([name]) => !names.some((known) => known === name));
  if (unknown !== undefined) throw usageError(`--columns: ${unknownName('name', unknown[0], names)}`, example);
  const empty = entries.find(([, column]) => column === '');
  if (empty !== undefined) throw usageError(`--columns names no column for ${empty[0]}.`, example);
  return Object.fromEntries(entries) as Partial<Record<Name, string>>;
}

/** Reads the column mapping of conversations: one message per row, or a message and its reply. */
function tableColumns({ from, columns }: Pick<Given<'inspect'>, 'from' | 'columns'>): TableColumns | undefined {
  if (columns === undefined) return undefined;
  const mapping: TableColumns = readMapping(columns, columnRoles, tableExample);
  const { content, role, user, assistant } = mapping;
  const isPair = user !== undefined || assistant !== undefined;
  if (from !== undefined)
    throw usageError('--columns describes a table, and --from another format.', 'Omit one of them.');
  if (isPair && (content !== undefined || role !== undefined))
    throw usageError(
      '--columns names both messages in rows (role, content) and messages with replies (user, assistant).',
      tableExample,
    );
  if (content === undefined && user === undefined)
    throw usageError('--columns names no column of user messages.', tableExample);
  return mapping;
}

const tableExample =
  'For example --columns user=incoming,assistant=outgoing,conversation=ticket, or --columns role=author,content=text,conversation=thread.';

function oneOf<Name extends string>(kind: string, given: string, known: readonly Name[]): Name {
  const found = known.find((each) => each === given);
  if (found === undefined) throw usageError(`--columns: ${unknownName(kind, given, known)}`, traceExample);
  return found;
}

const traceExample = 'For example --columns at=time,session=user,unit=ms.';

export async function inspect({ files, from, columns, json }: Given<'inspect'> & { files: string[] }): Promise<void> {
  await printDocument(
    await inspectDataset(files, { from, columns: tableColumns({ from, columns }) }),
    json ? 'json' : 'terminal',
  );
}

type ConvertArguments = Given<'convert'> & { files: string[] };

export async function convert(args: ConvertArguments): Promise<void> {
  const { to, redact } = args;
  const conversion = readConversion(args);
  const isPiped = to === '-';
  if (!isPiped) await requireOtherFiles({ to }, args.files);
  const converted = isPiped
    ? await convertDataset(conversion, pipeSink(process.stdout))
    : await convertToFile(conversion, to);
  const lines = conversionLines({
    ...converted,
    to: isPiped ? 'standard output' : to,
    redacted: redact ? converted.redacted : undefined,
  });
  if (converted.written === 0) throw nothingWritten(conversionLines({ ...converted, to, redacted: undefined }));
  // Standard output must contain only conversations.
  for (const line of lines) (isPiped ? stderr : stdout).line(line);
}

async function convertToFile(conversion: Conversion, to: string) {
  const file = await openNewStream(to);
  try {
    const converted = await convertDataset(conversion, {
      write: async (text) => {
        await file.write(text);
        return true;
      },
    });
    await (converted.written === 0 ? file.discard() : file.commit());
    return converted;
  } catch (thrown) {
    await file.discard();
    throw thrown;
  }
}

function readConversion(args: ConvertArguments): Conversion {
  const { files, from, redact, dedupe, language, sample, seed } = args;
  const { 'min-turns': minTurns, 'max-turns': maxTurns } = args;
  if (minTurns !== undefined && maxTurns !== undefined && minTurns > maxTurns)
    throw usageError('--min-turns is greater than --max-turns.', 'Swap them.');
  if (seed !== undefined && sample === undefined)
    throw usageError('--seed requires --sample.', 'Add --sample 1000, or omit --seed.');
  return {
    files,
    from,
    columns: tableColumns(args),
    redact,
    dedupe,
    languages: language?.map(readLanguage),
    minTurns: minTurns ?? 1,
    maxTurns: maxTurns ?? Infinity,
    sample,
    seed: seed ?? 1,
  };
}

function readLanguage(stated: string): string {
  const code = languageOf(stated);
  if (code !== undefined) return code;
  throw usageError(
    `--language takes a code or an English name of a language, not '${stated}'.`,
    'For example --language en or --language English.',
  );
}

const nothingWritten = (lines: readonly string[]): ChatLoadError =>
  usageError(
    `No conversation is left to write:\n${lines.slice(0, -1).join('\n')}`,
    'Nothing was written. Relax the conditions, or name another format with --from.',
  );
