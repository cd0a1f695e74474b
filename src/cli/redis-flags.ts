import type { Argv } from 'yargs';
import { ChatLoadError } from '../base/errors.ts';
import type { RedisIdentity } from '../edge/fleet/redis/redis-address.ts';
import { keepSecret } from './terminal.ts';

/** The variable that replaces a missing address. */
export const redisVariable = 'CHAT_LOAD_REDIS_URL';

/** Adds `--redis` and `--prefix`. */
export function takeRedis<T>(yargs: Argv<T>): Argv<T & { redis?: string | undefined; prefix: string }> {
  return yargs
    .option('redis', {
      type: 'string',
      requiresArg: true,
      // Not the address itself, which may hold a password.
      defaultDescription: redisVariable,
      describe: 'The Redis or Valkey that run --fleet uses: redis://HOST:PORT, or rediss:// for TLS',
    })
    .option('prefix', {
      type: 'string',
      default: 'chat-load',
      requiresArg: true,
      describe: 'Before all keys in Redis: fleets with different prefixes do not see each other',
    });
}

/** The address of Redis, by flag or environment, and who we are there. What is secret in it is never printed. */
export function redisIdentity(given: string | undefined): { url: string; identity: RedisIdentity } {
  const {
    CHAT_LOAD_REDIS_USERNAME: username,
    CHAT_LOAD_REDIS_PASSWORD: password,
    [redisVariable]: known,
  } = process.env;
  const url = given ?? (known === '' ? undefined : known);
  if (url === undefined)
    throw new ChatLoadError('usage', {
      message: 'The address of Redis is missing.',
      hint: `Give it with the flag, such as redis://localhost:6379, or set ${redisVariable}.`,
    });
  keepPassword(url);
  return { url, identity: { username, password } };
}

function keepPassword(url: string): void {
  if (!URL.canParse(url)) return;
  const { password } = new URL(url);
  for (const form of [password, decoded(password)]) keepSecret(form);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
