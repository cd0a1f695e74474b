import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import picocolors from 'picocolors';
import type { Sink } from '../../app/dataset/convert-dataset.ts';
import { ChatLoadError, environmentError, messageOf, type ErrorCode } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { notJoining, printable, printableLines } from '../../base/printable.ts';
import { Secrets } from '../../base/secrets.ts';
import { minSecret } from '../../base/redact.ts';
import type { Style } from '../../report/words/table.ts';
import { wrapLines } from '../../report/words/width.ts';
import { isCredential, secretsOf } from '../../base/header-field.ts';
import { failedLine, invalidLine } from '../../report/words/last-line.ts';
import { withOpenPages } from '../../edge/path-in-package.ts';
import { toolVersion } from '../../edge/tool-version.ts';

/** Secrets of the environment, and of the resolved scenarios. */
let ofEnvironment = new Secrets(process.env['CHAT_LOAD_API_KEY']);
const ofScenarios = new Set<Secrets>();

/** Redacts a secret in all later output, unless it is too short to be secret. */
export function keepSecret(secret: string | undefined): void {
  if (secret !== undefined && secret.length >= minSecret) ofEnvironment.settle(secret);
}

/** Redacts all secrets of a run, including those learned during it. */
export function keepSecrets(secrets: Secrets): void {
  ofScenarios.add(secrets);
}

/** Ends the redaction of all secrets so far: for tests, which run many commands in one process. */
export function forgetSecrets(): void {
  ofEnvironment = new Secrets();
  ofScenarios.clear();
}

/** Redacts a document; to be done before rendering, because a report wraps long words, secrets included. */
export function withoutSecrets<Document>(document: Document): Document {
  return [...ofScenarios, ofEnvironment].reduce((redacted, secrets) => secrets.redactDocument(redacted), document);
}

/** Makes a text safe to print. Reports clean their quotations; this covers the rest. */
export function shownText(text: string, isColored: boolean): string {
  const shown = withoutSecrets(text).replace(unshown, (found) =>
    found === '\n' || (isColored && found.endsWith('m')) ? found : ' ',
  );
  return process.env['GITHUB_ACTIONS'] === 'true' ? withoutCommands(shown) : shown;
}

/** Separates what GitHub would take for a command in a quoted text: `::` at the start of a line, and `##[` anywhere. */
const withoutCommands = (text: string): string => text.replace(/^(\s*):(?=:)/gm, '$1: ').replaceAll('##[', '## [');

// The colours of reports (others could hide text), or a control character.
const unshown = new RegExp(
  `${String.fromCharCode(27)}\\[(?:[12]|22|3[1236]|39)m|${notJoining('\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}')}`,
  'gu',
);

/** Reports whether colours are enabled: on a terminal unless `NO_COLOR` is set, elsewhere with `FORCE_COLOR`. */
const showsColors = (isTTY: boolean): boolean => {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: term } = process.env;
  if (no !== undefined && no !== '') return false;
  if (force !== undefined && force !== '' && force !== '0') return true;
  return isTTY && term !== 'dumb';
};

/** Returns standard output or standard error with its capabilities; `fit` makes a text fit its width. */
function open(
  stream: NodeJS.WriteStream & { fd: number },
  fit: (text: string, width: number) => string = (text) => text,
) {
  const isTTY = isatty(stream.fd);
  const isColored = showsColors(isTTY);
  // If the reader exits (`| head`, a closed terminal), text is lost, but not the run and its result.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw unwritable(error);
  });
  const widthNow = (): number => stream.columns || 80;
  const fitted = (text: string): string => (isTTY ? fit(text, widthNow()) : text);
  const write = (text: string): void => void stream.write(`${fitted(shownText(text, isColored))}\n`);
  return {
    isTTY,
    isColored,
    /** 80 if unknown. */
    get width(): number {
      return widthNow();
    },
    fitted,
    colors: picocolors.createColors(isColored),
    /** Writes lines without registered secrets and without control sequences, except enabled colours. */
    line: write,
    /** Writes one line that may quote untrusted text, without colours and line breaks. */
    note: (text: string): void => write(printable(text)),
    /** Writes a command for GitHub, whose texts are escaped. */
    command: (text: string): void => void stream.write(`${withoutSecrets(printable(text))}\n`),
  };
}

function unwritable(error: unknown): ChatLoadError {
  return environmentError(
    `Cannot write the output: ${fileReason(error)}.`,
    'Free space at its destination, or redirect it elsewhere.',
    error,
  );
}

/** Reports whether all output has left this process. */
export function isWritten(): boolean {
  return process.stdout.writableLength + process.stderr.writableLength === 0;
}

export const stdout = open(process.stdout);
/** Wraps lines on a terminal; elsewhere they stay whole, because logs are searched, and `nightly` reads errors. */
export const stderr = open(process.stderr, wrapLines);

/** Style of files: as wide as standard output, without colours. */
export const inFile: Style = {
  colors: picocolors.createColors(false),
  get width() {
    return stdout.width;
  },
};

/** Wraps a stream: waits for a slow reader and stops when the reader exits. Throws an environment error if writing fails. */
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

/** Environment variables whose values are never printed. */
export const secretNames: readonly string[] = [
  'CHAT_LOAD_API_KEY',
  'CHAT_LOAD_BASE_API_KEY',
  'CHAT_LOAD_HEAD_API_KEY',
  'CHAT_LOAD_WRONG_KIND_KEY',
  'CHAT_LOAD_COMPLETIONS_KEY',
  'CHAT_LOAD_REDIS_PASSWORD',
  'CHAT_LOAD_OAUTH_CLIENT_SECRET',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'CHAT_LOAD_TOKEN_COMMAND',
  'CHAT_LOAD_TLS_PASSPHRASE',
];

/** Returns the secrets in the command line and the environment. */
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

/** Returns the secrets of a header line; a line without a colon may be a misspelt header. */
function secretsInHeader(line: string): string[] {
  const [name = '', ...rest] = line.split(':');
  return rest.length === 0 || isCredential(name) ? secretsOf(rest.length === 0 ? line : rest.join(':').trim()) : [];
}

export const usageExitCode = 2;
const exitCodes: Readonly<Record<ErrorCode, number>> = { usage: usageExitCode, environment: 3, not_comparable: 4 };
/** Prints an error and returns the exit code: user and environment errors with a hint, bugs with a stack. */
export function reportError(thrown: unknown): number {
  if (thrown instanceof ChatLoadError) {
    stderr.line(withOpenPages(`${stderr.colors.red('error')} ${thrown.message}\n${thrown.hint}`));
    return exitCodes[thrown.code];
  }
  // Files are also opened late: parts of chat-load itself.
  if (thrown instanceof Error && 'code' in thrown && ['EMFILE', 'ENFILE'].includes(String(thrown.code))) {
    stderr.line(
      `${stderr.colors.red('error')} this process has no file descriptor left\nRaise the limit: ulimit -n 1024`,
    );
    return exitCodes.environment;
  }
  stderr.note(`This is a bug in chat-load ${toolVersion}. Please report it with the following.`);
  stderr.line(printableLines(thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown)));
  return 70;
}

/** Runs a command whose output ends with a verdict, also after a `ChatLoadError`. Returns the exit code. */
export async function endWithVerdict(isText: boolean, perform: () => Promise<number>): Promise<number> {
  try {
    return await perform();
  } catch (thrown) {
    if (!isText || !(thrown instanceof ChatLoadError)) throw thrown;
    const code = reportError(thrown);
    const { message } = thrown;
    stdout.note(thrown.code === 'not_comparable' ? invalidLine(message) : failedLine(message));
    return code;
  }
}
