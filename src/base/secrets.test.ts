import { describe, expect, test } from 'vitest';
import { Secrets } from './secrets.ts';

describe('secrets', () => {
  test('are redacted, the key under its own name and the longest first', () => {
    const secrets = new Secrets('sk-1', ['client-secret', 'client-secret-2']);
    expect(secrets.redact('sk-1 client-secret client-secret-2')).toBe('[API key] [secret] [secret]');
  });

  test('that pass are redacted in plain and encoded form afterwards', () => {
    const secrets = new Secrets();
    const token = 'Ey.token+with/chars==';
    expect(secrets.redact(token)).toBe(token);
    secrets.pass(token);
    const forms = [token, token.toUpperCase(), encodeURIComponent(token), Buffer.from(token).toString('hex')];
    for (const form of forms) expect(secrets.redact(`a ${form} b`)).toBe('a [secret] b');
    expect(secrets.redact(`x${token}${token}y`)).toBe('x[secret][secret]y');
    expect(secrets.redact(Buffer.from(`user:${token}`).toString('base64'))).toContain('[secret]');
  });

  test('that pass are redacted in base64 and hexadecimal of several lines, and encoded twice for URLs', () => {
    const secrets = new Secrets();
    const token = 'eyJhbGciOi/Token+0123456789?>';
    secrets.pass(token);
    const base64 = Buffer.from(token).toString('base64');
    for (const by of ['\n', '\r\n  ', '\\n'])
      expect(secrets.redact(`a ${base64.slice(0, 9)}${by}${base64.slice(9)} z`)).toMatch(/^a \[secret\]\S{0,2} z$/);
    for (const by of [':', '-', ' ', ', 0x'])
      expect(secrets.redact(`a ${Buffer.from(token).toString('hex').match(/../g)?.join(by) ?? ''} z`)).toBe(
        'a [secret] z',
      );
    expect(secrets.redact(`a ${encodeURIComponent(encodeURIComponent(token))} z`)).toBe('a [secret] z');
    // Shown on one line, a folded secret has spaces in it.
    expect(secrets.redact('e yJhbGciOi/Token+0123456789?>')).toBe('[secret]');
  });

  test('that pass are remembered by thousands, and the oldest are forgotten first', () => {
    const secrets = new Secrets();
    for (let i = 0; i < 10_001; i++) secrets.pass(`token-of-session-${String(i).padStart(5, '0')}`);
    expect(secrets.redact('token-of-session-10000 token-of-session-00001')).toBe('[secret] [secret]');
    expect(secrets.redact('token-of-session-00000')).toBe('token-of-session-00000');
  });

  test('are removed from documents, except those too short to be distinguished from other text', () => {
    const secrets = new Secrets('key', ['passphrase']);
    secrets.pass('session=123456');
    expect(secrets.redactDocument({ key: 'the key', list: ['passphrase', 7, null, 'session=123456'] })).toEqual({
      key: 'the key',
      list: ['[secret]', 7, null, '[secret]'],
    });
  });

  test('of other alphabets leave the text around them unchanged', () => {
    const secrets = new Secrets();
    secrets.pass('ticket-12345');
    expect(secrets.redact('İstanbul ticket-12345 ok')).toBe('İstanbul [secret] ok');
  });
});
