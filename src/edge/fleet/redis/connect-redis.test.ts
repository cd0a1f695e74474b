import { describe, expect, test } from 'vitest';
import type { ChatLoadError } from '../../../base/errors.ts';
import { readRedisAddress } from './connect-redis.ts';

describe('the address of Redis', () => {
  test('has a port, a database and an identity of its own', () => {
    expect(readRedisAddress('rediss://ada:p%40ss@redis.example:6380/2')).toEqual({
      host: 'redis.example',
      port: 6380,
      db: 2,
      username: 'ada',
      password: 'p@ss',
      isEncrypted: true,
      shown: 'rediss://redis.example:6380/2',
    });
  });

  test('needs no more than a host', () => {
    expect(readRedisAddress('redis://[::1]')).toMatchObject({ host: '::1', port: 6379, db: 0, isEncrypted: false });
    expect(readRedisAddress('redis://localhost').password).toBeUndefined();
  });

  test('is overridden by an identity from the environment, unless that is empty', () => {
    const url = 'redis://ada:old@localhost';
    expect(readRedisAddress(url, { username: 'bob', password: 'new' })).toMatchObject({
      username: 'bob',
      password: 'new',
    });
    expect(readRedisAddress(url, { username: '', password: '' })).toMatchObject({ username: 'ada', password: 'old' });
  });

  test.each([
    ['no address', 'ada:hunter2hunter2'],
    ['of another protocol', 'http://ada:hunter2hunter2@localhost'],
    ['without a host', 'redis://'],
    ['with a path', 'redis://ada:hunter2hunter2@localhost/name'],
    ['with options', 'redis://ada:hunter2hunter2@localhost/?tls=false'],
    ['with a broken escape', 'redis://ada:hunter2hunter2%@localhost'],
  ])('is refused without being shown: %s', (_, url) => {
    let refused: unknown;
    try {
      readRedisAddress(url);
    } catch (thrown) {
      refused = thrown;
    }
    expect(refused).toMatchObject({ code: 'usage' });
    const { message, hint } = refused as ChatLoadError;
    expect(`${message} ${hint}`).not.toContain('hunter2');
  });
});
