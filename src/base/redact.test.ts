import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactorOf } from './redact.ts';
import { Secrets } from './secrets.ts';

const key = 'sk-live+"k\\y/%41<x>&=.$1^(a|b)[c]';
const redact = redactorOf(key);

describe('a key is taken out', () => {
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
        // No more of it is left than the bytes that share their digits with what stands around it.
        expect(left).not.toContain(secret.slice(1, -1));
      }),
      { seed: 4711 },
    );
  });

  test('once, however often a text goes through, and however short it is', () => {
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

  test('every time it comes up, and nothing else', () => {
    expect(redact(`${key}${key} ${key.slice(1)}`)).toBe(`[API key][API key] ${key.slice(1)}`);
    expect(redactorOf('')('all of it')).toBe('all of it');
  });

  test('of all texts of a document, but for a key that is too short to be one', () => {
    const document = { ok: [`ok ${key}`, 1, null], inner: { ok: true } };
    expect(new Secrets(key).redactDocument(document)).toEqual({ ok: ['ok [API key]', 1, null], inner: { ok: true } });
    expect(new Secrets('ok').redactDocument(document)).toBe(document);
  });
});

describe('a key of one to three characters', () => {
  const redact = redactorOf('a');

  test.each(['status 401', 'a key was refused', 'what a server said'])('is left in words: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  test.each([
    ['a', '[API key]'],
    ['Authorization: Bearer a', 'Authorization: Bearer [API key]'],
    ['{"key":"a"}', '{"key":"[API key]"}'],
    ['?key=a&b=1', '?key=[API key]&b=1'],
    ['the key: a', 'the key: [API key]'],
  ])('is taken out where it stands as a value: %s', (text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });
});

test.each([
  ['of JSON', 'sk-Ab12\\/cd\\u002BEf34gh==Zz'],
  [
    'of JSON, all characters',
    Array.from('sk-Ab12/cd+Ef34gh==Zz', (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  ],
  ['of HTML', 'sk-Ab12&#x2F;cd&#43;Ef34gh&#x3d;=Zz'],
  ['of URLs, in part', 'sk-Ab12/cd+Ef34gh%3D=Zz'],
])('a key with escapes %s is redacted', (_, text) => {
  expect(redactorOf('sk-Ab12/cd+Ef34gh==Zz')(`Invalid key ${text}.`)).toBe('Invalid key [API key].');
});
