import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactorOf } from './redact.ts';
import { Secrets } from './secrets.ts';

const key = 'sk-live+"k\\y/%41<x>&=.$1^(a|b)[c]';
const redact = redactorOf(key);

describe('a key is removed', () => {
  test.each<[string, string]>([
    ['as it is', key],
    ['in JSON', JSON.stringify({ key }).slice(8, -2)],
    ['in small letters', key.toLowerCase()],
    ['in capitals', key.toUpperCase()],
    ['in a URL', encodeURIComponent(key)],
    ['in base64', Buffer.from(key).toString('base64').replace(/=+$/, '')],
    ['in base64 for URLs', Buffer.from(key).toString('base64url')],
    ['in hexadecimal', Buffer.from(key).toString('hex')],
    ['in HTML', key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')],
  ])('%s', (_, form) => {
    expect(redact(`before ${form} after`)).toBe('before [API key] after');
  });

  test('in base64 of a text that contains it, at any place', () => {
    const keys = fc.string({
      unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
      minLength: 12,
    });
    fc.assert(
      fc.property(keys, fc.string(), fc.string(), (secret, before, behind) => {
        const text = Buffer.from(before + secret + behind).toString('base64');
        const left = Buffer.from(redactorOf(secret)(text), 'base64').toString('latin1');
        // Only the bytes that share digits with the surrounding text remain.
        expect(left).not.toContain(secret.slice(1, -1));
      }),
      { seed: 4711 },
    );
  });

  test('once, however often a text is redacted, and however short the key is', () => {
    expect(redactorOf('API ')(redactorOf('API ')('the API broke'))).toBe('the [API key]broke');
    const keys = fc.stringMatching(/^[A-Za-z0-9-]{1,12}$/);
    fc.assert(
      fc.property(keys, fc.string(), (short, text) => {
        const shown = redactorOf(short)(`${text}${short}${text}`);
        expect(redactorOf(short)(shown)).toBe(shown);
      }),
      { seed: 4711 },
    );
  });

  test('at every occurrence, and nothing else', () => {
    expect(redact(`${key}${key} ${key.slice(1, 12)}`)).toBe(`[API key][API key] ${key.slice(1, 12)}`);
    expect(redactorOf('')('all of it')).toBe('all of it');
  });

  test('of all texts of a document, except for a key that is too short to be one', () => {
    const document = { ok: [`ok ${key}`, 1, null], inner: { ok: true } };
    expect(new Secrets(key).redactDocument(document)).toEqual({ ok: ['ok [API key]', 1, null], inner: { ok: true } });
    expect(new Secrets('ok').redactDocument(document)).toBe(document);
  });
});

describe('a key of one to three characters', () => {
  const redact = redactorOf('a');

  test.each(['status 401', 'a key was refused', 'text of a server'])('remains in other text: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  test.each([
    ['a', '[API key]'],
    ['Authorization: Bearer a', 'Authorization: Bearer [API key]'],
    ['{"key":"a"}', '{"key":"[API key]"}'],
    ['?key=a&b=1', '?key=[API key]&b=1'],
    ['the key: a', 'the key: [API key]'],
  ])('is removed as a whole value: %s', (text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });
});

describe('a key in base64 and hexadecimal', () => {
  const secret = 'sk-live-Ab12/cd+Ef34gh==Zz?>~~';
  const take = redactorOf(secret);
  const lines = (text: string, width: number, by: string): string =>
    text.match(new RegExp(`.{1,${String(width)}}`, 'g'))?.join(by) ?? '';
  const base64 = Buffer.from(`user:${secret}:x`).toString('base64');
  const pairs = Buffer.from(secret).toString('hex').match(/../g) ?? [];

  test.each([1, 3, 4, 17, 64, 76])(
    'is redacted in lines of %i characters, also escaped and in either alphabet',
    (width) => {
      for (const text of [base64, base64.replaceAll('+', '-').replaceAll('/', '_'), base64.replaceAll('/', '\\/')])
        for (const by of [
          '\n',
          '\r\n',
          '\r\n    ',
          '\\n',
          '\\r\\n',
          '\\\\n',
          '%0D%0A',
          '\n          ',
          '=\r\n',
          '=\n',
          '=\\r\\n',
        ])
          expect(take(`before ${lines(text, width, by)} after`)).toMatch(/^before .*\[API key\].* after$/s);
    },
  );

  test.each([':', '-', ' ', ', ', '\n', ', 0x', '\\x'])('is redacted with %j between the bytes', (by) => {
    for (const text of [pairs.join(by), pairs.join(by).toUpperCase().replaceAll('X', 'x')])
      expect(take(`before ${text} after`)).toMatch(/^before \[API key\] after$/);
  });
});

test('a key is redacted however often it was encoded for URLs or escaped for JSON', () => {
  let [inUrl, inJson] = ['sk-Ab12/cd+Ef"34gh==Zz', 'sk-Ab12/cd+Ef"34gh==Zz'];
  const take = redactorOf(inUrl);
  for (let times = 0; times < 4; times++) {
    inUrl = encodeURIComponent(inUrl);
    inJson = JSON.stringify(inJson).slice(1, -1);
    expect(take(`k=${inUrl}&`)).toBe('k=[API key]&');
    if (times < 3) expect(take(`"${inJson}"`)).toBe('"[API key]"');
  }
});

test.each(['\n', '\r\n\t ', ' ', '\u2028', '\u0085', '\u200b', '\v\f', '\0', ' \u00ad \u00a0'])(
  'a key of 16 characters or more is redacted with %j in it, also escaped as JSON',
  (by) => {
    const long = 'sk-live-Zq7Xw93Kd82mNvB4';
    const text = `before ${long.slice(0, 7)}${by}${long.slice(7, 20)}${by}${long.slice(20)} after`;
    expect(redactorOf(long)(text)).toBe('before [API key] after');
    expect(redactorOf(long)(JSON.stringify(text))).toBe('"before [API key] after"');
    expect(redactorOf(long)(text.replaceAll(/\s+/g, ' '))).toBe('before [API key] after');
  },
);

test('ordinary text is not redacted, whatever its spaces', () => {
  const take = redactorOf('password');
  for (const text of [
    'pass word',
    'p a s s w o r d',
    'pass\n\nand word',
    'passw',
    'UEFT U1dP',
    '70 61 73 73',
    'the passwor was',
  ])
    expect(take(text)).toBe(text);
});

test.each<[string, string]>([
  ['backslashes', '\\'],
  ['percent signs', '%25'],
  ['entities', '&amp;'],
  ['zeros of an entity', '0'],
  ['entities with zeros', '&#00'],
  ['entities of spaces', '&#32'],
  ['escapes of line breaks', '\\n'],
  ['soft breaks', '=\r\n'],
  ['beginnings of the key', 'sk-live-'],
  ['beginnings of its base64', 'c2stbGl2'],
  ['spaces', ' '],
  ['bytes', '73:6b:2d:'],
])('a long text of %s is searched in linear time', (_, unit) => {
  const text = unit.repeat(1.6e6 / unit.length);
  expect(redactorOf('sk-live-Ab12/cd+Ef34gh==Zz')(text)).toBe(text);
});

describe('a text that was cut before it was received', () => {
  const secret = 'sk-live-Ab12/cd+Ef34gh==Zz';
  const known = new Secrets(secret);

  test('shows no beginning of a secret at its end, nor its end at the beginning', () => {
    for (let length = 8; length < secret.length; length++) {
      for (const closing of ['', '"', '...', '…', '..."})'])
        expect(known.redact(`the key ${secret.slice(0, length)}${closing}`)).toBe(`the key [API key]${closing}`);
      expect(known.redact(`${secret.slice(-length)} is wrong`)).toBe('[API key] is wrong');
    }
    const base64 = Buffer.from(secret).toString('base64');
    expect(known.redact(`Basic ${base64.slice(0, 20)}`)).toBe('Basic [API key]');
  });

  test('is unchanged if it contains less of the key, or elsewhere', () => {
    for (const text of ['the key sk-live', 'the key sk-live-Ab is wrong', ' of secret', ''])
      expect(known.redact(text)).toBe(text);
  });

  test('shows no long part anywhere, of which a service cut or masked the rest', () => {
    const long = 'sk-Proj_9fK2mQ7xLr4TzV8bN1cY6wHd3JgS5eAo';
    const of = new Secrets(long);
    for (const [from, to] of [
      [0, 30],
      [0, 16],
      [4, 40],
      [24, 40],
      [9, 26],
      [3, 19],
    ] as const) {
      const part = long.slice(from, to);
      for (const [before, after] of [
        ['key ', '... was refused'],
        ['****', '****'],
        ['"', '" is wrong'],
        ['x', 'x'],
      ] as const) {
        expect(of.redact(`It ${before}${part}${after}`)).toBe(`It ${before}[API key]${after}`);
        expect(of.redact(`It ${before}${JSON.stringify(`${part}\n`)}${after}`)).not.toContain(part.slice(3, 12));
      }
      for (const encoding of ['hex', 'base64'] as const)
        expect(of.redact(`'${Buffer.from(part).toString(encoding)}'`)).toMatch(/^'.{0,4}\[API key\].{0,4}'$/);
    }
    expect(of.redact(`It ${long.slice(5, 18)} is`)).toBe(`It ${long.slice(5, 18)} is`);
    expect(of.redactDocument({ text: `It ${long.slice(0, 30)}...` })).toEqual({ text: 'It [API key]...' });
  });

  test('shows no beginning of a token that was renewed', () => {
    const tokens = new Secrets();
    tokens.pass('eyJhbGciOi-first-0123456789');
    expect(tokens.redact('got eyJhbGciOi-first-0123')).toBe('got [secret]');
  });
});

test.each([
  ['of JSON', 'sk-Ab12\\/cd\\u002BEf34gh==Zz'],
  [
    'of JSON, all characters',
    Array.from('sk-Ab12/cd+Ef34gh==Zz', (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  ],
  ['of HTML', 'sk-Ab12&#x2F;cd&#43;Ef34gh&#x3d;=Zz'],
  ['of HTML, by name', 'sk&hyphen;Ab12&sol;cd&plus;Ef34gh&equals;&amp;equals;Zz'],
  ['of HTML, without semicolons', '&#115k&#45Ab&#49&#50&#x2F;cd&#43Ef3&#52gh&#61&#61Zz'],
  ['of HTML, with zeros', '&#00115;k&#045;Ab12&#0000047;cd&plus;Ef34gh==Zz'],
  ['of URLs, in part', 'sk-Ab12/cd+Ef34gh%3D=Zz'],
])('a key with escapes %s is redacted', (_, text) => {
  expect(redactorOf('sk-Ab12/cd+Ef34gh==Zz')(`Invalid key ${text}.`)).toBe('Invalid key [API key].');
});
