import type * as Bullmq from 'bullmq';
import type { Redis, RedisOptions } from 'ioredis';
import { ChatLoadError, messageOf } from '../../../base/errors.ts';
import { withPackages } from '../../optional-packages.ts';

/** Settings of a connection, with the default form of replies. */
type ConnectionSettings = Omit<RedisOptions, 'replyMapping'>;

/**
 * Opens a connection that reconnects whenever it breaks. Commands wait meanwhile; a command in progress is sent again and
 * may be executed twice. Throws an environment error if Redis does not answer within three seconds.
 */
export async function connectRedis(address: RedisAddress, options: ConnectionSettings = {}): Promise<Redis> {
  const { Redis } = await withPackages(redisPackages, () => import('ioredis'));
  const redis = new Redis({ ...settingsOf(address), ...options });
  const begun = performance.now();
  try {
    await firstAnswer(redis);
    // After an interruption, a lost attempt to connect must be abandoned early, or the next one starts too late.
    redis.options.connectTimeout = Math.min(firstAnswerMs, Math.max(750, 4 * (performance.now() - begun)));
    return redis;
  } catch (failed) {
    redis.disconnect();
    throw unavailable(address, failed);
  }
}

/** Opens another connection with the same settings, for commands that block. */
export function anotherConnection(redis: Redis): Redis {
  const another = redis.duplicate();
  // Ignored, because a broken connection shows in the commands sent over it.
  another.on('error', () => undefined);
  return another;
}

function settingsOf({ host, port, db, username, password, isEncrypted }: RedisAddress): ConnectionSettings {
  return {
    host,
    port,
    db,
    username,
    password,
    // Certificates are verified, as by default.
    ...(isEncrypted && { tls: { servername: host } }),
    retryStrategy: (times) => Math.min(50 * times, maxBetweenTriesMs),
    maxRetriesPerRequest: null,
    connectTimeout: firstAnswerMs,
    // A broken network drops packets silently, and TCP retries ever less often. No command here takes longer to answer.
    socketTimeout: silentSocketMs,
  };
}

const maxBetweenTriesMs = 500;
const firstAnswerMs = 3000;
const silentSocketMs = 2000;

function firstAnswer(redis: Redis): Promise<void> {
  return new Promise((resolve, reject) => {
    let last = new Error('no answer');
    const timer = setTimeout(() => reject(last), firstAnswerMs);
    redis.on('error', (error: Error) => {
      last = error;
      if (isPermanent(error)) reject(error);
    });
    redis
      .once('ready', resolve)
      .once('ready', () => clearTimeout(timer))
      .once('end', () => clearTimeout(timer));
  });
}

/** Reports whether an error is permanent, so that retrying would not help. */
const isPermanent = ({ message }: Error): boolean =>
  /^(NOAUTH|WRONGPASS|NOPERM|ERR|DENIED)\b|\b(certificate|altnames)\b/.test(message);

/** Builds the error for an unusable Redis. It has no `cause`, because the error of a login contains the password. */
export function unavailable({ shown }: Pick<RedisAddress, 'shown'>, failed: unknown): ChatLoadError {
  return new ChatLoadError('environment', {
    message: `Cannot use Redis at ${shown}: ${messageOf(failed)}`,
    hint: 'Check that Redis runs and is reachable from this machine, and that CHAT_LOAD_REDIS_USERNAME and CHAT_LOAD_REDIS_PASSWORD are correct. With TLS, the address begins with rediss://, and NODE_EXTRA_CA_CERTS names the file of a private certificate authority.',
  });
}

/** Waits for all promises, but for at most `maxMs` milliseconds. Failures are ignored. */
export async function withinMs(maxMs: number, all: readonly Promise<unknown>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, maxMs)));
  await Promise.race([Promise.allSettled(all), over]);
  clearTimeout(timer);
}

const redisPackages = { need: 'A fleet requires the packages bullmq and ioredis', names: ['bullmq', 'ioredis'] };

/** Loads BullMQ. Throws a usage error if it is not installed. */
export function loadQueue(): Promise<Pick<typeof Bullmq, 'Queue' | 'Worker'>> {
  return withPackages(redisPackages, () => import('bullmq'));
}

/** Address and credentials of a Redis server. Never printed, except `shown`. */
export interface RedisAddress {
  host: string;
  port: number;
  db: number;
  username: string | undefined;
  password: string | undefined;
  /** TLS, with the certificate verified. */
  isEncrypted: boolean;
  /** The address without user and password. */
  shown: string;
}

/** Credentials that are not part of an address. */
export interface RedisIdentity {
  username?: string | undefined;
  password?: string | undefined;
}

/**
 * Reads `redis://[user[:password]@]host[:port][/db]`, or `rediss://` for TLS; the given identity overrides the address.
 * Throws a usage error, without the address, which may contain a password.
 */
export function readRedisAddress(url: string, { username, password }: RedisIdentity = {}): RedisAddress {
  const read = URL.canParse(url) ? new URL(url) : undefined;
  const db = /^\/?(\d{0,4})$/.exec(read?.pathname ?? '')?.[1];
  if (read === undefined || !/^rediss?:$/.test(read.protocol) || read.hostname === '' || db === undefined)
    throw invalid();
  if (read.search !== '' || read.hash !== '') throw invalid();
  return {
    host: read.hostname.replace(/^\[|\]$/g, ''),
    port: Number(read.port || 6379),
    db: Number(db),
    username: present(username) ?? present(decoded(read.username)),
    password: present(password) ?? present(decoded(read.password)),
    isEncrypted: read.protocol === 'rediss:',
    shown: `${read.protocol}//${read.hostname}:${read.port || '6379'}${db === '' ? '' : `/${db}`}`,
  };
}

const present = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid();
  }
}

const invalid = (): ChatLoadError =>
  new ChatLoadError('usage', {
    message: 'The address of Redis is invalid.',
    hint: 'Use an address such as redis://localhost:6379 or rediss://redis.example:6380/2. Prefer CHAT_LOAD_REDIS_USERNAME and CHAT_LOAD_REDIS_PASSWORD for user and password; in an address, their special characters must be percent-encoded (@ as %40).',
  });
