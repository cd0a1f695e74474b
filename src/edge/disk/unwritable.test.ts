import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeWhenEnded, temporaryFor } from './unwritable.ts';

test('a signal with other listeners is left to them, and no listener remains after the last file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chat-load-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  writeFileSync(one, '');
  const counts = (): number[] => ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name));
  const before = counts();
  const other = (): void => undefined;
  const forgets = [removeWhenEnded(one), removeWhenEnded(two)];
  expect(counts()).toEqual(before.map((count) => count + 1));
  process.on('SIGINT', other);
  process.emit('SIGINT', 'SIGINT');
  expect(existsSync(one)).toBe(true);
  process.off('SIGINT', other);
  for (const forget of [...forgets, ...forgets]) forget();
  expect(counts()).toEqual(before);
});

test.each(['a'.repeat(255), '中'.repeat(85), '😀'.repeat(63)])(
  'the temporary file of the longest name that a file may have has a name that a file may have: %s',
  (name) => expect(Buffer.byteLength(basename(temporaryFor(join('folder', name))))).toBeLessThanOrEqual(255),
);
