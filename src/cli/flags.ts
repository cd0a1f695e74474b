import type { Argv, InferredOptionTypes, Options } from 'yargs';
import { ChatLoadError } from '../base/errors.ts';

/** A flag, as the parser of arguments takes it. */
interface Flag extends Options {
  /** The environment variable that replaces a missing flag; an empty one is ignored. */
  environment?: string;
}

/** The flags of several commands. Flags of a single command are in its file. */
const flags = {
  label: {
    type: 'string',
    environment: 'CHAT_LOAD_LABEL',
    describe: 'A name for this run, in the result and its file name',
  },
  out: {
    type: 'string',
    default: 'results',
    environment: 'CHAT_LOAD_OUT',
    describe: 'The folder for result files',
  },
  quiet: {
    alias: 'q',
    type: 'boolean',
    default: false,
    describe: 'No progress and no tables: only failures, the target and the result path',
  },
  'dry-run': {
    type: 'boolean',
    default: false,
    describe: 'Check everything, show what plan shows, and send nothing',
  },
  json: { type: 'boolean', default: false, describe: 'Print only the document, as JSON' },
  markdown: { type: 'string', describe: 'Write a Markdown file too, for a pull request' },
  html: { type: 'string', describe: 'Write a page too: one HTML file with charts and tables' },
  junit: { type: 'string', describe: 'Write a JUnit XML file too' },
  'base-label': { type: 'string', describe: 'Label of the base side' },
  'head-label': { type: 'string', describe: 'Label of the head side' },
} satisfies Readonly<Record<string, Flag>>;

type FlagName = keyof typeof flags;
type FlagValues = InferredOptionTypes<typeof flags>;

/** Adds flags to a command. A command can refine a text with `.describe`. */
export function takeFlags<T, Name extends FlagName>(
  yargs: Argv<T>,
  ...names: readonly Name[]
): Argv<T & Pick<FlagValues, Name>> {
  for (const name of names) {
    const { environment, ...flag }: Flag = flags[name];
    yargs.option(name, { ...flag, requiresArg: flag.type !== 'boolean' });
    const given = environment === undefined ? undefined : process.env[environment];
    if (given !== undefined && given !== '') yargs.default(name, given);
  }
  return yargs as Argv<T & Pick<FlagValues, Name>>;
}

/** Adds `--format`, with the formats that a command has; `readFormat` gives the one that was asked for. */
export function takeFormat<T, Format extends string>(
  yargs: Argv<T>,
  formats: readonly Format[],
): Argv<T & { format?: Format | undefined }> {
  yargs.option('format', {
    choices: formats,
    defaultDescription: 'terminal',
    requiresArg: true,
    describe: 'Output format on standard output',
  });
  return yargs as Argv<T & { format?: Format | undefined }>;
}

/** The format that was asked for, by `--format` or `--json`. Throws a usage error where they ask for two. */
export function readFormat<Format extends string>({
  format,
  json = false,
}: {
  format?: Format | undefined;
  json?: boolean;
}): Format | 'terminal' | 'json' {
  if (!json) return format ?? 'terminal';
  if (format === undefined || format === 'json') return 'json';
  throw new ChatLoadError('usage', {
    message: `--json and --format ${format} ask for two formats.`,
    hint: 'Give one of them.',
  });
}

/** The environment variables of flags. */
export const flagVariables: readonly string[] = Object.values<Flag>(flags).flatMap(
  ({ environment }) => environment ?? [],
);
