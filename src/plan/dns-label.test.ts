import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dnsLabel, isDnsLabel } from './digest.ts';

describe('a text as a DNS label', () => {
  test('is unchanged if it is one', () => expect(dnsLabel('chat-load-peak')).toBe('chat-load-peak'));

  test('keeps its letters, and ends in digits of its hash', () =>
    expect(dnsLabel('chat-load-Stoßzeit à 9:00')).toMatch(/^chat-load-sto-zeit-a-9-00-[0-9a-f]{6}$/));

  test('is a label whatever the text is', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => isDnsLabel(dnsLabel(text))));
    for (const text of ['', '---', '日本語', `a${'-'.repeat(60)}`, 'x'.repeat(200), '9', '-a-', 'a\n---\nb'])
      expect(dnsLabel(text)).toSatisfy(isDnsLabel);
  });

  test('differs if the texts differ in characters that a label cannot contain', () =>
    expect(new Set(['Peak', 'peak', 'pea k', 'pea-k', 'pea_k'].map(dnsLabel)).size).toBe(5));
});
