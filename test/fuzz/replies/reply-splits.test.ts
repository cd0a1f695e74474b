import { describe, expect, test } from 'vitest';
import { protocolNames } from '../../../src/protocol/registry/registry.ts';
import { isWhole } from '../../support/trials.ts';
import { fixtures, ordinary, type Fixture } from './fixtures.ts';
import { plainWriting, type Writing } from './parts.ts';
import { blocksOf, bytesOf, readFixture, respond, splitAt, type Framing } from './read-fixture.ts';

/** Blocks of one byte split replies at every byte; the suite tests some of the splits into two. */
const step = isWhole ? 1 : 2;

const framings: readonly Framing[] = ['length', 'chunks', 'close'];
const writings: readonly [string, Partial<Writing>][] = [
  ['CR LF', { lineEnd: '\r\n' }],
  ['CR', { lineEnd: '\r' }],
  ['a byte order mark', { hasMark: true }],
  ['keep-alives', { hasKeepAlives: true }],
  ['no space after colons', { separator: ':' }],
];

test.each(protocolNames)('%s has an ordinary reply among the fixtures', (name) => {
  const found = ordinary.filter(({ of }) => of === name);
  expect(found.map((fixture) => readFixture(fixture, [respond(fixture, bytesOf(fixture))]).verdict.outcome)).toContain(
    'ok',
  );
});

describe('a reply that is split at any byte is the whole one', () => {
  test.each(isWhole ? fixtures : ordinary)('$name', (fixture) => {
    const bytes = respond(fixture, bytesOf(fixture), 'chunks');
    const whole = readFixture(fixture, [bytes]).text;
    for (let at = 1; at < bytes.length; at += step) {
      const { text } = readFixture(fixture, splitAt(bytes, [at]));
      if (text !== whole) expect([at, text]).toEqual([at, whole]);
    }
  });
});

describe('a reply in blocks of any size is the whole one', () => {
  test.each(fixtures)('$name', (fixture) => {
    const whole = readFixture(fixture, [respond(fixture, bytesOf(fixture))]).text;
    for (const framing of framings)
      for (const size of [1, 7])
        expect(readFixture(fixture, blocksOf(respond(fixture, bytesOf(fixture), framing), size)).text).toBe(whole);
  });
});

describe('events in another writing are the same reply', () => {
  const events = fixtures.filter(({ form }) => form === 'sse');
  test.each(events)('$name', (fixture) => {
    const whole = readFixture(fixture, [respond(fixture, bytesOf(fixture))]).text;
    for (const [name, writing] of writings) {
      const bytes = respond(fixture, bytesOf(fixture, { writing: { ...plainWriting, ...writing } }), 'chunks');
      for (const size of [1, 64 * 1024])
        expect([name, readFixture(fixture, blocksOf(bytes, size)).text]).toEqual([name, whole]);
    }
  });
});

describe('a reply that ends before its end is never ok', () => {
  const kept = ({ verdict }: ReturnType<typeof readFixture>): string =>
    JSON.stringify([verdict.reply?.text, verdict.reply?.toolCalls, verdict.reply?.finish]);
  const isOk = (fixture: Fixture): boolean =>
    readFixture(fixture, [respond(fixture, bytesOf(fixture))]).verdict.outcome === 'ok';

  test.each(ordinary.filter(isOk))('$name', (fixture) => {
    const body = bytesOf(fixture);
    const whole = readFixture(fixture, [respond(fixture, body)]);
    const response = respond(fixture, body);
    for (let length = 0; length < response.length; length += step) {
      const { verdict } = readFixture(fixture, [response.subarray(0, length)]);
      if (fixture.form !== 'frames' && verdict.outcome === 'ok') expect(`ok after ${String(length)} bytes`).toBe('');
    }
    if (fixture.endsByClose === true) return;
    for (let length = 0; length < body.length; length += step) {
      const cut = readFixture(fixture, [respond(fixture, body.subarray(0, length))]);
      if (cut.verdict.outcome === 'ok') expect([length, kept(cut)]).toEqual([length, kept(whole)]);
    }
  });
});
