import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { parseJson } from '../../base/json.ts';
import { isObject } from '../../base/is-object.ts';
import { excerpt } from '../../base/excerpt.ts';
import { printable } from '../../base/printable.ts';
import { within, readEnd, readToken, TokenFailure, type ObtainToken, type Obtaining, type Token } from './token.ts';
import { ChatLoadError } from '../../base/errors.ts';

const afterKillMs = 500;

/** Maximum size of the output. */
const maxBytes = 64 * 1024;

const maxLineLength = 200;

type TokenCommand = Obtaining & { line: string };

/**
 * Runs a command that prints a token, or JSON with it: `access_token` and `expires_in` (seconds), or `value` and
 * `expiresAt`. It is run without a shell. Throws a usage error for a line that names no program.
 */
export function tokenCommand(command: TokenCommand): ObtainToken {
  const words = splitWords(command.line);
  // A lone word may be a token given by mistake, so it is not printed.
  const what = words.length === 1 ? 'the token command' : `the token command (${printable(basename(words[0]))})`;
  return async (unwanted) => {
    // Processes that the program has started may hold its output open once it is killed itself.
    const limits = { what, limitMs: command.limitMs + afterKillMs, unwanted };
    const printed = await within(limits, run(words, command, limits));
    return readPrinted(printed, command.wallNow(), what);
  };
}

function run(
  [program, ...rest]: readonly [string, ...string[]],
  { limitMs, redact }: TokenCommand,
  { what, unwanted: signal }: { what: string; unwanted: AbortSignal },
): Promise<string> {
  const options = { signal, timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: maxBytes, windowsHide: true } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(program, rest, options, (failed, stdout, stderr) => {
      if (failed === null) resolve(stdout);
      else reject(new TokenFailure(`${what} ${describeFailure(failed, limitMs)}${firstLine(stderr, redact)}`));
    });
    // It receives no input, because a program that asks for a password would wait for it.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end();
  });
}

function describeFailure(
  { code, killed, signal }: NonNullable<Parameters<NonNullable<Parameters<typeof execFile>[3]>>[0]>,
  limitMs: number,
): string {
  if (code === 'ENOENT') return 'was not found';
  if (code === 'EACCES') return 'may not be run';
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `printed more than ${String(maxBytes / 1024)} KiB`;
  if (killed === true) return `did not end within ${String(limitMs / 1000)} s`;
  return typeof code === 'number' ? `ended with code ${String(code)}` : `ended by ${String(signal ?? code)}`;
}

/**
 * Returns the first line of standard error. Further lines are not shown, because a failing program may print secrets
 * that chat-load does not know.
 */
function firstLine(stderr: string, redact: (text: string) => string): string {
  const [line = ''] = redact(stderr)
    .trim()
    .split(/[\r\n]/, 1);
  // The output is already redacted, because a secret may extend beyond the line.
  const shown = excerpt(line, printable, maxLineLength);
  return shown === '' ? '' : `: ${shown}`;
}

function readPrinted(stdout: string, now: number, what: string): Token {
  const printed = stdout.trim();
  if (printed === '') throw new TokenFailure(`${what} printed nothing`);
  const json = parsed(printed);
  if (isObject(json)) return readObject(json, now, what);
  const lines = printed.split('\n').length;
  if (lines > 1)
    throw new TokenFailure(`${what} printed ${String(lines)} lines: it must print the token alone, or JSON`);
  return readToken(printed, undefined, what);
}

function readObject(json: Readonly<Record<string, unknown>>, now: number, what: string): Token {
  const { access_token: accessToken, expires_in: expiresIn, value, expiresAt } = json;
  if (accessToken === undefined && value === undefined)
    throw new TokenFailure(`${what} printed JSON without access_token or value`);
  const seconds = expiresIn === undefined ? undefined : Number(expiresIn);
  if (seconds !== undefined && !Number.isFinite(seconds))
    throw new TokenFailure(`${what} printed an expires_in that is not a number of seconds`);
  const endsAt = seconds === undefined ? readEnd(expiresAt, what) : now + seconds * 1000;
  return readToken(accessToken ?? value, endsAt, what);
}

function parsed(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/**
 * Splits a command line as a shell does, but expands nothing: quotes keep a word together, and a backslash takes the next
 * character literally; between double quotes only characters that are special there, between single quotes none. Throws a
 * usage error for a quote that is never closed, or for an empty line.
 */
export function splitWords(line: string): [program: string, ...words: string[]] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const letter = line.charAt(at);
    const escapes = letter === '\\' && quote !== "'" && (quote === '' || '"\\$`'.includes(line.charAt(at + 1)));
    if (escapes) word = (word ?? '') + line.charAt(++at);
    else if (quote === letter) quote = '';
    else if (quote === '' && (letter === '"' || letter === "'")) {
      quote = letter;
      word ??= '';
    } else if (quote === '' && /\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + letter;
  }
  if (quote !== '') throw refusal(`has a quote that is never closed (${quote})`);
  if (word !== undefined) words.push(word);
  const [program, ...rest] = words;
  if (program === undefined || program === '') throw refusal('names no program');
  return [program, ...rest];
}

const refusal = (fault: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `The token command ${fault}.`,
    hint: "Nothing was sent. It is run without a shell: --token-command 'gcloud auth print-access-token'. For a command that needs a shell: 'sh -c \"...\"'.",
  });
