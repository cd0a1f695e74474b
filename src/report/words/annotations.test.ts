import { expect, test } from 'vitest';
import { renderAnnotations } from './annotations.ts';

const suite = { name: 'peak', startedAt: '2026-01-01T00:00:00.000Z', elapsedMs: 1234 };

test('what failed is an error, what is undecided a warning', () => {
  const text = renderAnnotations({
    ...suite,
    cases: [
      { name: 'run', end: 'passed', text: 'ok' },
      { name: 'gate turn.p95', end: 'failed', message: '2.1 s, condition < 2s', text: 'in full' },
      { name: 'validity', end: 'invalid', text: 'no data' },
      { name: 'omitted', end: 'skipped', text: 'no key' },
    ],
  });
  expect(text).toBe(
    '::error title=peak%3A gate turn.p95::2.1 s, condition < 2s\n::warning title=peak%3A validity::no data',
  );
});

test('no text ends its command or starts another one', () => {
  const text = 'a\r\n::add-mask::b, 5%0A: c';
  const line = renderAnnotations({ ...suite, cases: [{ name: text, end: 'failed', text }] });
  expect(line).toBe(
    '::error title=peak%3A a%0D%0A%3A%3Aadd-mask%3A%3Ab%2C 5%250A%3A c::a%0D%0A::add-mask::b, 5%250A: c',
  );
});
