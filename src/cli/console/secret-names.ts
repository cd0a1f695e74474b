import { isCredential, secretsOf } from '../../base/header-field.ts';

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
