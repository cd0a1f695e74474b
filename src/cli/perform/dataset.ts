import { convertDataset, type Conversion } from '../../app/dataset/convert-dataset.ts';
import { inspectDataset } from '../../app/dataset/inspect-dataset.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { languageOf } from '../../dataset/formats/settle-conversation.ts';
import { requireOtherFiles } from '../../edge/disk/write-result.ts';
import { openNewStream } from '../../edge/disk/write-new-files.ts';
import { conversionLines } from '../../report/dataset/conversion-lines.ts';
import { printDocument } from '../console/deliver.ts';
import { pipeSink, stderr, stdout } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';

type DatasetArguments = Given<'dataset'> & { part: 'convert' | 'inspect'; files: string[] };

export async function performPart(args: DatasetArguments): Promise<void> {
  refuseForeignFlags(args);
  if (args.part === 'convert') await convert(args);
  else await printDocument(await inspectDataset(args.files, args.from), args.json ? 'json' : 'terminal');
}

const ofConvert = ['to', 'redact', 'dedupe', 'language', 'min-turns', 'max-turns', 'sample', 'seed'] as const;

/** Throws a usage error for a flag of the other part, which would do nothing. */
function refuseForeignFlags(args: DatasetArguments): void {
  const { part, json } = args;
  const given = ofConvert.filter((flag) => args[flag] !== undefined && args[flag] !== false);
  const foreign = (part === 'inspect' ? given : json ? ['json'] : []).at(0);
  if (foreign === undefined) return;
  throw new ChatLoadError('usage', {
    message: `--${foreign} is a flag of dataset ${part === 'inspect' ? 'convert' : 'inspect'}, not of ${part}.`,
    hint: `Leave it out. See chat-load dataset --help.`,
  });
}

/** `dataset convert`: writes one file, or to standard output, and says what it did. */
async function convert(args: DatasetArguments): Promise<void> {
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

function readConversion(args: DatasetArguments): Conversion {
  const { files, from, redact, dedupe, language, sample, seed } = args;
  const { 'min-turns': minTurns, 'max-turns': maxTurns } = args;
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
