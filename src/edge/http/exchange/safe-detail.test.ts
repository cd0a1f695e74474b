import { redactorOf } from '../../../base/redact.ts';
import { describe, expect, test } from 'vitest';
import { safeDetail } from './safe-detail.ts';

describe('a detail', () => {
  test('shows control, format and line characters as their codes', () => {
    expect(safeDetail('a\x00\x1b[2J\r\n\x7f\x9b\u2028\u202e\ufeffz', redactorOf('key'))).toBe(
      'a\\x00\\x1b[2J\\x0d\\x0a\\x7f\\x9b\\u{2028}\\u{202e}\\u{feff}z',
    );
  });

  test('leaves printable text unchanged', () => {
    expect(safeDetail('"Grüße" ✓ 😀 \\', redactorOf('key'))).toBe('"Grüße" ✓ 😀 \\');
  });

  test('does not contain the key, wherever it was and whatever its characters', () => {
    expect(safeDetail('sk-1 and Bearer sk-1', redactorOf('sk-1'))).toBe('[API key] and Bearer [API key]');
    expect(safeDetail('a $&."\\ b', redactorOf('$&."\\'))).toBe('a [API key] b');
  });

  test('is cut when it is long, without leaving a piece of the key', () => {
    const key = 'k'.repeat(40);
    const detail = safeDetail('x'.repeat(280) + key, redactorOf(key));
    expect(detail).toBe(`${'x'.repeat(280)}[API key]`);
    expect(safeDetail('\x00'.repeat(1000), redactorOf(key))).toHaveLength(301);
    expect(safeDetail('x'.repeat(300), redactorOf(key))).toBe('x'.repeat(300));
  });
});
