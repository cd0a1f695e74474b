import { describe, expect, test } from 'vitest';
import { randomOf } from './random.ts';
import { failSafe, redactorOf, withheldText } from './redact.ts';
import { Secrets } from './secrets.ts';

const lengths = [40, 3_000, 12_000, 60_000];

/** Characters that some form of text has to escape. */
const special = '+"\\/%41<x>&=.';

/** Returns a key without repetitions, with special characters at a place. */
function keyOf(length: number, place: 'beginning' | 'middle' | 'end'): string {
  const random = randomOf(length);
  const plain = Array.from({ length: length - special.length }, () => alphabet[Math.floor(random() * 62)]).join('');
  const at = { beginning: 0, middle: plain.length / 2, end: plain.length }[place];
  return plain.slice(0, at) + special + plain.slice(at);
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const lines = (text: string, by: string): string => text.match(/.{1,76}/g)?.join(by) ?? '';
const hex = (key: string): string => Buffer.from(key).toString('hex');
const pairs = (key: string): string[] => hex(key).match(/../g) ?? [];
const inJson = (key: string): string => JSON.stringify(key).slice(1, -1);
const each = (key: string, spell: (code: number) => string): string =>
  Array.from(key, (character) => spell(character.charCodeAt(0))).join('');

/** Every encoding that SECURITY.md names. */
const encodings: Readonly<Record<string, (key: string) => string>> = {
  'as it is': (key) => key,
  'in capitals': (key) => key.toUpperCase(),
  'in JSON': inJson,
  'in JSON, three times': (key) => inJson(inJson(inJson(key))),
  'in JSON, all characters': (key) => each(key, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
  'in a URL': encodeURIComponent,
  'in a URL, three times': (key) => encodeURIComponent(encodeURIComponent(encodeURIComponent(key))),
  'in a URL, all bytes': (key) => each(key, (code) => `%${code.toString(16)}`),
  'in HTML': (key) =>
    key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  'in HTML, by number': (key) => each(key, (code) => `&#${String(code)};`),
  'in HTML, by hexadecimal number': (key) => each(key, (code) => `&#x0${code.toString(16)};`),
  'in a URL within JSON': (key) => inJson(encodeURIComponent(inJson(key))),
  'in hexadecimal': hex,
  'in hexadecimal capitals': (key) => hex(key).toUpperCase(),
  'in hexadecimal with spaces': (key) => pairs(key).join(' '),
  'in hexadecimal with colons': (key) => pairs(key).join(':'),
  'in hexadecimal with commas and 0x': (key) => pairs(key).join(', 0x'),
  'in hexadecimal with hyphens': (key) => pairs(key).join('-'),
  'in hexadecimal with \\x': (key) => pairs(key).join('\\x'),
  'in base64': (key) => Buffer.from(key).toString('base64'),
  'in base64 after one byte': (key) => Buffer.from(`:${key}`).toString('base64'),
  'in base64 after two bytes': (key) => Buffer.from(`u:${key}`).toString('base64'),
  'in base64 for URLs': (key) => Buffer.from(`user:${key}:x`).toString('base64url'),
  'in base64 over lines': (key) => lines(Buffer.from(key).toString('base64'), '\r\n  '),
  'in base64 over lines within JSON': (key) => lines(Buffer.from(key).toString('base64'), '\\n'),
  'in base64 within a URL': (key) => encodeURIComponent(Buffer.from(key).toString('base64')),
};

const redactors = new Map<number, Redactors[]>();

interface Redactors {
  key: string;
  redactors: (readonly [(text: string) => string, mark: string])[];
}

/** Returns all ways to redact keys of a length, with special characters at each place. */
function redactorsOf(length: number): Redactors[] {
  let made = redactors.get(length);
  made ??= (['beginning', 'middle', 'end'] as const).map((place) => {
    const key = keyOf(length, place);
    const [settled, passing] = [new Secrets(key), new Secrets()];
    passing.pass(key);
    return {
      key,
      redactors: [
        [redactorOf(key), '[API key]'],
        [(text) => settled.redact(text), '[API key]'],
        [(text) => passing.redact(text), '[secret]'],
      ],
    };
  });
  redactors.set(length, made);
  return made;
}

describe.each(lengths)('a key of %i characters is removed', (length) => {
  test.each(Object.entries(encodings))('%s, with special characters anywhere', (_, encode) => {
    for (const { key, redactors } of redactorsOf(length))
      for (const [redact, mark] of redactors) {
        const shown = redact(`before ${encode(key)} after`);
        expect(shown).toContain(mark);
        // Digits of base64 that also encode the text around the key remain.
        expect(shown.length).toBeLessThan(40);
        expect(redact(shown)).toBe(shown);
      }
  });

  test('at the edges of a text that was cut within it', () => {
    const key = keyOf(length, 'middle');
    const known = new Secrets(key);
    const cuts = [8, 13, length / 2 - 2, length / 2 + 5, length - 1];
    for (const encode of [(text: string) => text, inJson, encodeURIComponent]) {
      for (const cut of cuts) {
        expect(known.redact(`the key ${encode(key.slice(0, cut))}..."`)).toBe('the key [API key]..."');
        expect(known.redact(`"${encode(key.slice(-cut))} is wrong`)).toBe('"[API key] is wrong');
      }
      // The cut is within an escape.
      const whole = encode(key);
      for (let at = 0; at < 18; at++) {
        const place = Math.floor(whole.length / 2) - 7 + at;
        expect(known.redact(`the key ${whole.slice(0, place)}`)).toMatch(/^the key \[API key\][".]?$/);
        expect(known.redact(`${whole.slice(place)} is wrong`)).toMatch(/^["([.]?\[API key\] is wrong$/);
      }
    }
  });
});

test.each(['C:\\', '%', '%2', '100%25', '&', '&#', '\\u00', '\\x', '&amp;', '0', '=\n'])(
  'text such as %j before a key does not hide it, nor does text after it',
  (before) => {
    for (const key of [
      'nsecret+41/abc',
      '41ab"cd/ef<gh',
      'u0041/bc"de',
      '5sk-live/+abcd',
      'lt;+secret/key',
      'x41/secret"k',
    ])
      for (const encode of [(text: string) => text, inJson, encodeURIComponent])
        for (const after of ['', '41', 'lt;', ';', 'x', '\\'])
          // A backslash directly before a key is removed with it.
          expect([before, before.replace(/\\$/, '')].map((shown) => `${shown}[API key]${after}`)).toContain(
            redactorOf(key)(before + encode(key) + after),
          );
  },
);

describe('the search takes linear time, so that no text is withheld', () => {
  const size = 100_000;
  const long = keyOf(65_536, 'middle');
  test.each<[string, string]>([
    ['a key', long],
    ['a key of one character', 'a'.repeat(65_536)],
    ['a key of two characters', 'ab'.repeat(32_768)],
    ['a key of backslashes and letters', 'n\\'.repeat(32_768)],
    ['a key of percent signs', '%25a'.repeat(16_384)],
    ['a key of entities', '&amp;b'.repeat(10_922)],
  ])('of %s of 64 KB', (_, key) => {
    const known = new Secrets(key);
    const units = [
      key.slice(0, -1),
      key.slice(0, 1000),
      'a',
      'ab',
      '\\',
      '%',
      '%25',
      '&',
      '&amp;',
      '&#00',
      'YWFh',
      '61:',
    ];
    for (const unit of units) {
      const text = unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
      for (const hostile of [text, `${text}!`, `${text}\\u0061`, `%${text}25`])
        expect(known.redact(hostile)).not.toBe(withheldText);
    }
    expect(known.redact(`a ${key} z`)).toBe('a [API key] z');
  });

  test('of ten thousand passing secrets with one beginning', () => {
    const known = new Secrets();
    const beginning = 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.'.repeat(3);
    for (let number = 0; number < 10_000; number++) known.pass(`${beginning}${String(number)}`);
    expect(known.redact(`${beginning}9876, ${beginning}x, ${beginning}`)).toBe(`[secret], ${beginning}x, [secret].`);
    expect(known.redact(beginning.repeat(100))).not.toBe(withheldText);
  });
});

describe('a failure of the redaction', () => {
  test('withholds the text', () => {
    const redact = failSafe((text) => {
      if (text.includes('bad')) throw new Error(text);
      return text;
    });
    expect([redact('good'), redact('a bad one')]).toEqual(['good', '[text withheld: it could not be redacted]']);
  });

  test('such as a search that takes too many steps withholds the text, but no other text of the document', () => {
    const known = new Secrets();
    // Each position of the text is compared with secrets of thousands of lengths.
    for (let length = 200; length < 6_000; length++) known.pass(`${'a'.repeat(length)}b`);
    const hostile = 'a'.repeat(100_000);
    expect(known.redact(hostile)).toBe(withheldText);
    expect(known.redactDocument({ hostile, other: 'text' })).toEqual({ hostile: withheldText, other: 'text' });
  });
});
