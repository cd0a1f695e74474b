import { describe, expect, test } from 'vitest';
import { randomOf } from '../../base/random.ts';
import type { Conversation } from '../conversation.ts';
import { datasetSchema } from './dataset-document.ts';
import { Values, estimateTokens } from './message-counts.ts';
import { scriptOf } from './script-of.ts';
import { Duplicates, fingerprintOf, bandsOf } from './duplicates.ts';
import { Fingerprints } from '../fingerprints.ts';
import { Inspector } from './inspector.ts';

const said = (...contents: readonly string[]): Conversation => ({
  messages: contents.map((content, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content,
  })),
});

describe('values', () => {
  test('have the quantiles of their sorted list, within 1 %', () => {
    const random = randomOf(7);
    const all = Array.from({ length: 20_000 }, () => Math.floor(Math.exp(12 * random())));
    const values = new Values();
    for (const value of all) values.add(value);
    const sorted = all.toSorted((a, b) => a - b);
    const summary = values.summary();
    expect(summary?.max).toBe(sorted.at(-1));
    expect(summary?.mean).toBeCloseTo(all.reduce((sum, value) => sum + value, 0) / all.length, 6);
    for (const [name, share] of [
      ['p50', 0.5],
      ['p95', 0.95],
      ['p99', 0.99],
    ] as const) {
      const truth = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
      expect(summary?.[name]).toBeGreaterThanOrEqual(truth);
      expect(summary?.[name]).toBeLessThanOrEqual(truth * 1.01);
    }
  });

  test('of an empty set are empty', () => {
    expect(new Values().summary()).toBeNull();
  });
});

describe('fingerprints', () => {
  test('know exactly the added numbers', () => {
    const random = randomOf(3);
    const fingerprints = new Fingerprints();
    const known = new Set<number>();
    let mistakes = 0;
    for (let i = 0; i < 50_000; i++) {
      const value = 1 + Math.floor(random() * 40_000) * 200_000_000_003;
      if (fingerprints.add(value) !== known.has(value)) mistakes++;
      known.add(value);
    }
    expect(mistakes).toBe(0);
  });

  test('that are full still know their counts, and ignore new values', () => {
    const fingerprints = new Fingerprints(2);
    expect([5, 6, 7, 7, 5, 6].map((value) => fingerprints.add(value))).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
    expect(fingerprints.isFull).toBe(true);
  });

  test('do not depend on capitals, spaces and Unicode forms', () => {
    expect(fingerprintOf(said('Hello  there\n', 'Hi'))).toBe(fingerprintOf(said('hello there', 'HI')));
    expect(fingerprintOf(said('caf\u00e9'))).toBe(fingerprintOf(said('cafe\u0301')));
    expect(fingerprintOf(said('a', 'b'))).not.toBe(fingerprintOf(said('ab')));
    expect(fingerprintOf(said('a', 'b'))).not.toBe(fingerprintOf(said('a', 'c')));
  });
});

describe('near duplicates', () => {
  const random = randomOf(11);
  const words = (count: number): string[] =>
    Array.from({ length: count }, () => `w${String(Math.floor(random() * 5000))}`);

  /** Returns how often a text of 250 words and one with `changed` consecutive words replaced share a band. */
  const sharing = (changed: number): number =>
    Array.from({ length: 200 }, () => {
      const text = words(250);
      const other = [...text.slice(0, 250 - changed), ...words(changed)];
      const known = new Set(bandsOf(said(text.join(' '))));
      return bandsOf(said(other.join(' '))).some((band) => known.has(band));
    }).filter(Boolean).length / 200;

  test('are found if nearly all is common, and hardly if half is', () => {
    // The share of common sequences of words is about (250 - c) / (250 + c): 0.95 for 6, 0.35 for 120.
    expect(sharing(6)).toBeGreaterThan(0.95);
    expect(sharing(120)).toBeLessThan(0.05);
  });

  test('are counted apart from exact ones; greetings are neither', () => {
    const duplicates = new Duplicates();
    const text = words(300).join(' ');
    for (const each of [text, text, `more ${text}`, 'hello', 'hello there']) duplicates.add(said(each));
    expect(duplicates.summary()).toEqual({ exact: 1, near: 1, compared: 'all' });
  });

  test('are compared only with the first ones if there are too many', () => {
    const duplicates = new Duplicates(2);
    for (const each of ['a', 'b', 'c', 'c', 'a']) duplicates.add(said(each));
    expect(duplicates.summary()).toEqual({ exact: 1, near: 0, compared: 'part' });
  });
});

test.each([
  ['Hello there', 'Latin'],
  ['Где моя посылка?', 'Cyrillic'],
  ['我的包裹在哪里', 'Han'],
  ['荷物はどこですか', 'Japanese'],
  ['내 소포는 어디에', 'Hangul'],
  ['أين طردي', 'Arabic'],
  ['12 + 30 = ?', 'none'],
  ['\u10d0\u10d1\u10d2', 'other'],
])('the script of %s is %s', (text, script) => {
  expect(scriptOf(text)).toBe(script);
});

test('tokens are estimated by characters', () => {
  expect(estimateTokens('')).toBe(0);
  expect(estimateTokens('Hello there')).toBe(3);
  expect(estimateTokens('我的包裹')).toBe(4);
});

describe('an inspection', () => {
  const inspector = new Inspector();
  const conversation = (...contents: readonly string[]) => ({
    language: 'English',
    messages: said(...contents).messages.map(({ role, content }) => ({ role, text: content })),
  });
  inspector.add(
    { place: 1, conversation: conversation('I am ada@example.com', 'Hi ada@example.com', 'Bye') },
    'line 1',
  );
  inspector.add({ place: 2, conversation: { messages: [{ role: 'assistant', text: 'x' }] } }, 'line 2');
  inspector.add({ place: 3, problem: 'malformed', detail: 'it is not JSON' }, 'line 3');
  inspector.add({ place: 4, conversation: { messages: [{ role: 'user', text: '???' }] } }, 'line 4');
  const findings = inspector.findings();

  test('counts conversations and problems', () => {
    expect(findings).toMatchObject({
      conversations: 2,
      turns: { mean: 1.5, p50: 1, max: 2 },
      user: { count: 3, characters: { max: 20 } },
      assistant: { count: 1 },
      languages: { stated: [{ language: 'en', conversations: 1 }], unstated: 1, scripts: { Latin: 1, none: 1 } },
      duplicates: { exact: 0, near: 0 },
      skipped: [
        { reason: 'noUserMessage', count: 1, first: [{ where: 'line 2', detail: '' }] },
        { reason: 'malformed', count: 1, first: [{ where: 'line 3', detail: 'it is not JSON' }] },
      ],
    });
  });

  test('shows the shape of personal data, never the value', () => {
    const shape = { where: 'line 1', detail: 'xxx@xxxxxxx.xxx' };
    expect(findings.personal).toEqual([{ kind: 'mail', count: 2, conversations: 1, examples: [shape, shape] }]);
    expect(JSON.stringify(findings)).not.toContain('ada');
  });

  test('is a document of its schema', () => {
    const document = { kind: 'chat-load/dataset', schemaVersion: 1, toolVersion: '0', files: [], ...findings };
    expect(datasetSchema.parse(document)).toEqual(document);
  });
});
