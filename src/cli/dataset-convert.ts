import { convertDataset, type Conversion } from '../app/dataset/convert-dataset.ts';
import { ChatLoadError } from '../base/errors.ts';
import { languageOf } from '../dataset/formats/language-of.ts';
import type { FormatName } from '../dataset/formats/formats.ts';
import { requireOtherFiles } from '../edge/disk/require-other-files.ts';
import { openNewStream } from '../edge/disk/write-new-stream.ts';
import { conversionLines } from '../report/dataset/conversion-lines.ts';
import { wholeFlag } from './dataset-flags.ts';
import { pipeSink } from './pipe-sink.ts';
import { stderr, stdout } from './terminal.ts';

export interface ConvertArguments {
  files: string[];
  from?: FormatName | undefined;
  to?: string | undefined;
  redact: boolean;
  dedupe: boolean;
  language?: string[] | undefined;
  'min-turns'?: number | undefined;
  'max-turns'?: number | undefined;
  sample?: number | undefined;
  seed?: number | undefined;
}

/** `dataset convert`: writes one file, or to standard output, and says what it did. */
export async function convert(args: ConvertArguments): Promise<void> {
  const { to, redact } = args;
  if (to === undefined) throw noDestination;
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
  // The conversations are alone on standard output.
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
    if (converted.written === 0) throw nothingWritten(conversionLines({ ...converted, to, redacted: undefined }));
    await file.commit();
    return converted;
  } catch (thrown) {
    await file.discard();
    throw thrown;
  }
}

function readConversion(args: ConvertArguments): Conversion {
  const { files, from, redact, dedupe, language, sample, seed } = args;
  const { 'min-turns': minTurns, 'max-turns': maxTurns } = args;
  wholeFlag(minTurns, { flag: '--min-turns', least: 1 });
  wholeFlag(maxTurns, { flag: '--max-turns', least: 1 });
  wholeFlag(sample, { flag: '--sample', least: 1 });
  wholeFlag(seed, { flag: '--seed', least: 0 });
  if (minTurns !== undefined && maxTurns !== undefined && minTurns > maxTurns) throw noTurns;
  if (seed !== undefined && sample === undefined) throw idleSeed;
  return {
    files,
    from,
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
  throw new ChatLoadError('usage', {
    message: `--language takes a code or an English name of a language, not '${stated}'.`,
    hint: 'Give it as --language en or --language English.',
  });
}

const noDestination = new ChatLoadError('usage', {
  message: 'dataset convert takes --to, which is missing.',
  hint: 'Name the file to write: --to talks.jsonl, or --to - for standard output.',
});

const noTurns = new ChatLoadError('usage', {
  message: '--min-turns is above --max-turns: no conversation has such a number of turns.',
  hint: 'Swap them.',
});

const idleSeed = new ChatLoadError('usage', {
  message: '--seed draws a sample, and none is asked for.',
  hint: 'Add --sample 1000, or leave --seed out.',
});

const nothingWritten = (lines: readonly string[]): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `No conversation is left to write:\n${lines.slice(0, -1).join('\n')}`,
    hint: 'Nothing was written. Take more of them, or name another form with --from.',
  });
