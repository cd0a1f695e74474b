import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import picocolors from 'picocolors';
import type { Sink } from '../../app/dataset/convert-dataset.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { notJoining, printable } from '../../base/printable.ts';
import { Secrets } from '../../base/secrets.ts';
import { minSecret } from '../../base/redact.ts';
import type { Style } from '../../report/words/table.ts';
import { isCredential, secretsOf } from '../../base/header-field.ts';

/** One of the two streams, with what can be shown on it. */
interface Terminal {
  isTTY: boolean;
  /** Whether colours show. */
  isColored: boolean;
  /** Columns; 80 where that is not known. */
  width: number;
  colors: ReturnType<typeof picocolors.createColors>;
  /** Writes lines: without the secrets that are kept, and without control sequences but colours, where those show. */
  line(text: string): void;
  /** Writes one line that may quote anything: without colours and line breaks. */
  note(text: string): void;
}

/** The names of the environment, and those of the scenarios that were settled. */
const ofEnvironment = new Secrets(process.env['CHAT_LOAD_API_KEY']);
const ofScenarios = new Set<Secrets>();

/** Redacts a secret in everything printed from here on, unless it is too short to be secret. */
export function keepSecret(secret: string | undefined): void {
  if (secret !== undefined && secret.length >= minSecret) ofEnvironment.settle(secret);
}

/** The same for all that a run knows, and comes to know. */
export function keepSecrets(secrets: Secrets): void {
  ofScenarios.add(secrets);
}

/** A document without the secrets that are kept. Before it is rendered: a report breaks long words, and a secret with them. */
export function withoutSecrets<Document>(document: Document): Document {
  return [...ofScenarios, ofEnvironment].reduce((left, secrets) => secrets.redactDocument(left), document);
}

/** A text made safe to print. Reports clean what they quote; this covers what they miss. */
export function shownText(text: string, isColored: boolean): string {
  return withoutSecrets(text).replace(unshown, (found) =>
    found === '\n' || (isColored && found.endsWith('m')) ? found : ' ',
  );
}

// The colours of reports (no others: some hide text), or a single character that rules a terminal.
const unshown = new RegExp(
  `${String.fromCharCode(27)}\\[(?:[12]|22|3[1236]|39)m|${notJoining('\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}')}`,
  'gu',
);

/** Colours show on a terminal, unless `NO_COLOR` is set; `FORCE_COLOR` shows them anywhere. */
const showsColors = (isTTY: boolean): boolean => {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: term } = process.env;
  if (no !== undefined && no !== '') return false;
  if (force !== undefined && force !== '' && force !== '0') return true;
  return isTTY && term !== 'dumb';
};

function open(stream: NodeJS.WriteStream & { fd: number }): Terminal {
  const isTTY = isatty(stream.fd);
  const isColored = showsColors(isTTY);
  // The reader of the output may have left (`| head`, a closed terminal): the text is lost, but not the run and its result.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw unwritable(error);
  });
  return {
    isTTY,
    isColored,
    get width() {
      return stream.columns || 80;
    },
    colors: picocolors.createColors(isColored),
    line: (text) => void stream.write(`${shownText(text, isColored)}\n`),
    note: (text) => void stream.write(`${shownText(printable(text), isColored)}\n`),
  };
}

/** Standard output, or standard error, cannot be written. */
function unwritable(error: unknown): ChatLoadError {
  return new ChatLoadError('environment', {
    message: `The output cannot be written: ${fileReason(error)}.`,
    hint: 'Make room where it goes, or send it elsewhere.',
    cause: error,
  });
}

export const stdout = open(process.stdout);
export const stderr = open(process.stderr);

/** A file is as wide as standard output, without colours. */
export const inFile: Style = {
  colors: picocolors.createColors(false),
  get width() {
    return stdout.width;
  },
};

/** Standard output: waits for a slow reader, and ends with one that leaves. Throws an environment error where it cannot be written. */
export function pipeSink(stream: Writable): Sink {
  return {
    write: (text) =>
      new Promise<boolean>((resolve, reject) => {
        if (text === '') resolve(true);
        else if (stream.destroyed || !stream.writable) resolve(false);
        else
          stream.write(text, (error) => {
            if (error === undefined || error === null) resolve(true);
            else reject(error);
          });
      }).catch((thrown: unknown) => {
        if (hasLeft(thrown)) return false;
        throw unwritable(thrown);
      }),
  };
}

const hasLeft = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'EPIPE';

/** Environment variables whose values are never printed, whatever else goes wrong. */
export const secretNames: readonly string[] = [
  'CHAT_LOAD_API_KEY',
  'CHAT_LOAD_BASE_API_KEY',
  'CHAT_LOAD_HEAD_API_KEY',
  'CHAT_LOAD_WRONG_KIND_KEY',
  'CHAT_LOAD_COMPLETIONS_KEY',
  'CHAT_LOAD_REDIS_PASSWORD',
  'CHAT_LOAD_OAUTH_CLIENT_SECRET',
  'CHAT_LOAD_TOKEN_COMMAND',
  'CHAT_LOAD_TLS_PASSPHRASE',
];

/** What the words of a command and its environment hold that is never printed. */
export function secretsGiven(words: readonly string[], environment: NodeJS.ProcessEnv): string[] {
  const named = secretNames.flatMap((name) => environment[name] ?? []);
  const lines = environment['CHAT_LOAD_HEADER']?.split('\n') ?? [];
  return [...named, ...[...lines, ...headersIn(words)].flatMap(secretsInHeader)];
}

const headersIn = (words: readonly string[]): string[] =>
  words.flatMap((word, index) => {
    if (word === '--header') return words[index + 1] ?? [];
    return word.startsWith('--header=') ? word.slice('--header='.length) : [];
  });

/** A line without a colon is no header, but may be meant to be one. */
function secretsInHeader(line: string): string[] {
  const [name = '', ...rest] = line.split(':');
  return rest.length === 0 || isCredential(name) ? secretsOf(rest.length === 0 ? line : rest.join(':').trim()) : [];
}
