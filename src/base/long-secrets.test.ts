import { describe, expect, test } from 'vitest';
import { encodings, inJson, keyOf } from '../../test/support/encodings.ts';
import { failSafe, redactorOf, withheldText } from './redact.ts';
import { Secrets } from './secrets.ts';

const lengths = [40, 3_000, 12_000, 60_000];

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
  const cases = Object.entries(encodings).map(([name, encode], nth) => [name, encode, nth] as const);
  test.each(cases)('%s, with special characters anywhere', (_, encode, nth) => {
    // Long keys take long: each encoding meets one place and one way of them, and all encodings together every pair.
    const ways = redactorsOf(length).flatMap(({ key, redactors }) => redactors.map((way) => [key, ...way] as const));
    for (const [key, redact, mark] of length < 10_000 ? ways : ways.filter((__, way) => way === nth % ways.length)) {
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
        // The next character may be the next one of the key.
        expect(known.redact(`the key ${encode(key.slice(0, cut))}..."`)).toMatch(/^the key \[API key\]\.{2,3}"$/);
        expect(known.redact(`"${encode(key.slice(-cut))} is wrong`)).toMatch(/^"?\[API key\] is wrong$/);
        expect(known.redact(`error: code 3: ${encode(key.slice(-cut))}`)).toMatch(/^error: code 3:? ?\[API key\]$/);
        const refused = `status 400: ${encode(key.slice(-cut))} is wrong`;
        expect(known.redact(refused)).toMatch(/^status 400:? ?\[API key\] is wrong$/);
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
      // Found with any spaces in it.
      'nsecret+41/abcdefgh',
      'u0041/bc"defghijklmn',
    ])
      for (const encode of [(text: string) => text, inJson, encodeURIComponent])
        for (const after of ['', '41', 'lt;', ';', 'x', '\\'])
          // A backslash directly before a key is removed with it.
          expect([before, before.replace(/\\$/, '')].map((shown) => `${shown}[API key]${after}`)).toContain(
            redactorOf(key)(before + encode(key) + after),
          );
  },
);

test.each(lengths)('a part of a key of %i characters is removed in hexadecimal and base64', (length) => {
  const key = keyOf(length, 'middle');
  const known = new Secrets(key);
  for (const cut of [11, 12, 13]) {
    const [beginning, ending] = [key.slice(0, cut), key.slice(-cut)];
    for (const by of [' ', ':', '-', ', 0x', '\\x']) {
      const encoded = encodings['in hexadecimal with spaces']?.(key).split(' ') ?? [];
      expect(known.redact(`the key ${encoded.slice(0, cut).join(by)}${by}`)).toMatch(/^the key \[API key\].{0,4}$/);
      expect(known.redact(`${by}${encoded.slice(-cut).join(by)} is wrong`)).toMatch(/^\s?\[API key\] is wrong$/);
    }
    for (const before of ['', 'u', 'u:'])
      for (const url of [String, encodeURIComponent]) {
        // The service cuts the key before it encodes it.
        const encoded = url(Buffer.from(before + beginning).toString('base64'));
        expect(known.redact(`the key ${encoded}`)).toMatch(/^the key .{0,3}\[API key\]$/);
      }
    expect(known.redact(`${Buffer.from(ending).toString('base64')} is wrong`)).toMatch(/^\[API key\].{0,3} is wrong$/);
  }
});

describe('the search takes linear time, so that no text is withheld', () => {
  const size = 30_000;
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
    expect(known.redact(`| ${key} |`)).toBe('| [API key] |');
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
