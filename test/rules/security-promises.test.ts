import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/command.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const security = read('SECURITY.md');

/** Every link to a test file, with the test titles listed after it. */
const named = [...security.matchAll(/\]\(((?:test|src)\/[\w./-]+\.test\.ts)\)(?::((?: `[^`]+`,?)+))?/g)].map(
  ([, file = '', tests = '']) => ({ file, tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name) }),
);

test('SECURITY.md names tests', () => {
  expect(named.length).toBeGreaterThan(15);
  expect(named.flatMap(({ tests }) => tests).length).toBeGreaterThan(10);
});

test('every test that SECURITY.md names exists', () => {
  const missing = named.flatMap(({ file, tests }) => {
    const text = existsSync(join(root, file)) ? read(file) : '';
    return text === '' ? [file] : tests.filter((name) => !text.includes(name)).map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});
