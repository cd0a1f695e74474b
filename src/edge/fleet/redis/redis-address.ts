import { ChatLoadError } from '../../../base/errors.ts';

/** Where a Redis is, and who we are there. Never printed: `shown` is for that. */
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

/** Who we are, where that is not to be in an address. */
export interface RedisIdentity {
  username?: string | undefined;
  password?: string | undefined;
}

/**
 * Reads `redis://[user[:password]@]host[:port][/db]`, or `rediss://` for TLS; an identity of its own wins over that of
 * the address. Throws a usage error, without the address, since that may hold a password.
 */
export function readRedisAddress(url: string, { username, password }: RedisIdentity = {}): RedisAddress {
  const read = URL.canParse(url) ? new URL(url) : undefined;
  const db = /^\/?(\d{0,4})$/.exec(read?.pathname ?? '')?.[1];
  if (read === undefined || !/^rediss?:$/.test(read.protocol) || read.hostname === '' || db === undefined)
    throw unusable();
  if (read.search !== '' || read.hash !== '') throw unusable();
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
    throw unusable();
  }
}

const unusable = (): ChatLoadError =>
  new ChatLoadError('usage', {
    message: 'The address of Redis cannot be read.',
    hint: 'Give one such as redis://localhost:6379 or rediss://redis.example:6380/2. User and password are better in CHAT_LOAD_REDIS_USERNAME and CHAT_LOAD_REDIS_PASSWORD; in an address, their special characters are written as %40.',
  });
