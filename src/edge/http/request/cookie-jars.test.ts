import { describe, expect, test } from 'vitest';
import type { Route } from '../../../protocol/protocol.ts';
import type { CookieJar } from '../../../session/session-head.ts';
import { openCookieJars, type CookieJars } from './cookie-jars.ts';

const route = (path: string, headers = {}): Route => ({ operation: 'message', method: 'POST', path, headers });
const chat = route('/api/chat');

const jars = (baseUrl = 'http://127.0.0.1:8080', kept: string[] = []): CookieJars =>
  openCookieJars(new URL(baseUrl), (secret) => kept.push(secret));
function jarWith(lines: readonly string[], baseUrl?: string): CookieJar {
  const jar = jars(baseUrl).newJar();
  jar.take(chat, lines);
  return jar;
}

describe('a cookie', () => {
  test.each<[string, string, string?]>([
    ['a=1', 'a=1'],
    ['a=1; Path=/api/chat; HttpOnly; SameSite=Strict', 'a=1'],
    ['a=1; Path=/other', ''],
    ['a=1; Max-Age=0', ''],
    ['a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT', ''],
    ['a=1; Domain=example.com', ''],
    ['a=1; Domain=example.com', 'a=1', 'https://api.example.com'],
    ['a=1; Domain=evil.com', '', 'https://api.example.com'],
    ['a=1; Secure', 'a=1', 'https://api.example.com'],
    ['a=1; Secure', '', 'http://api.example.com'],
    ['a=1', 'a=1', 'http://localhost:3000'],
    ['a=1', 'a=1', 'http://[::1]:3000'],
    ['a=1', 'a=1', 'http://agent.internal'],
    ['a=1\tb', ''],
    ['a=1\x01', ''],
    ['', ''],
    ['=', ''],
  ])('%j is sent back as %j', (line, sent, baseUrl) => {
    expect(jarWith([line], baseUrl).valueFor(chat)).toBe(sent);
  });

  test('is sent with cookies of other names, replaces its own old value, and is removed when it expires', () => {
    const jar = jarWith(['a=1', 'b=2', 'a=3']);
    expect(jar.valueFor(chat)).toBe('a=3; b=2');
    jar.take(chat, ['b=; Max-Age=0']);
    expect(jar.valueFor(chat)).toBe('a=3');
  });

  test('is not sent if the protocol has written its own', () => {
    expect(jarWith(['a=1']).valueFor(route('/api/chat', { cookie: 'own=1' }))).toBe('');
  });

  test('belongs to its session, and its value is a secret', () => {
    const kept: string[] = [];
    const all = jars(undefined, kept);
    all.newJar().take(chat, ['sid=opaque-value-1']);
    expect(all.newJar().valueFor(chat)).toBe('');
    expect(kept).toEqual(['opaque-value-1']);
  });
});

describe('a jar that is full', () => {
  const many = (count: number, bytes = 1): string[] =>
    Array.from({ length: count }, (_, index) => `c${String(index)}=${'x'.repeat(bytes)}`);

  test('takes at most 180 cookies, counts the others, and still renews known ones', () => {
    const jar = jars().newJar();
    expect(jar.take(chat, many(200))).toBe(20);
    expect(jar.valueFor(chat).split('; ')).toHaveLength(180);
    expect(jar.take(chat, ['c7=new', 'c199=again'])).toBe(1);
    expect(jar.valueFor(chat)).toContain('c7=new');
  });

  test('takes no more than 80 kB', () => {
    const jar = jars().newJar();
    expect(jar.take(chat, many(30, 4000))).toBe(11);
    expect(jar.valueFor(chat).length).toBeLessThan(80_000);
  });

  test('has room again when cookies have expired', () => {
    const jar = jars().newJar();
    jar.take(chat, many(180));
    const dropped = jar.take(chat, ['c5=; Max-Age=0', 'later=1']);
    expect([dropped, jar.valueFor(chat).includes('later=1')]).toEqual([0, true]);
  });
});
