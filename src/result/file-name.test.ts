import { expect, test } from 'vitest';
import { resultFileName } from './file-name.ts';

const startedAt = '2026-01-31T14:25:30.123Z';

test.each([
  [{ scenario: 'peak', startedAt, label: null }, 'peak-20260131T142530Z.json'],
  [{ scenario: 'peak', startedAt, label: 'nightly' }, 'peak-20260131T142530Z-nightly.json'],
  [{ scenario: 'peak', startedAt: '2026-01-31T16:25:30+02:00', label: null }, 'peak-20260131T142530Z.json'],
  [{ scenario: 'Peak hour 2.0', startedAt, label: 'PR #12 / fix' }, 'Peak-hour-2.0-20260131T142530Z-PR-12-fix.json'],
  [{ scenario: '../../etc/passwd', startedAt, label: '..' }, 'etc-passwd-20260131T142530Z.json'],
  [{ scenario: '负载', startedAt, label: null }, '20260131T142530Z.json'],
])('%j is kept as %s', (run, name) => {
  expect(resultFileName(run)).toBe(name);
});

test('a long name is cut, not the time', () => {
  expect(resultFileName({ scenario: 'x'.repeat(300), startedAt, label: null })).toBe(
    `${'x'.repeat(100)}-20260131T142530Z.json`,
  );
});
