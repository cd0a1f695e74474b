import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { badDays } from '../support/bad-days.ts';
import { root } from '../support/command.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = read('docs/concepts/robustness.md');
const names = badDays.map(({ name }) => name);

/** The rows of its tables of bad days: the files that a row links, and the tests that it names. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|') && /\]\(\.\.\/\.\.\/test\/\w+\/bad-days-/.test(line))
  .map((line) => {
    const tests = line.slice(line.indexOf(']('));
    const files = [...tests.matchAll(/\]\(\.\.\/\.\.\/(test\/[\w./-]+)\)/g)].map(([, file = '']) => file);
    return { files, tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name) };
  });

test('docs/concepts/robustness.md has its table of bad days, and every row names its test', () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter(({ tests }) => tests.length === 0)).toEqual([]);
});

test('every test that the table of bad days in docs/concepts/robustness.md names exists', () => {
  const missing = rows.flatMap(({ files, tests }) => {
    const texts = files
      .map((file) => (existsSync(join(root, file)) ? read(file) : ''))
      .join('\n')
      .replaceAll("\\'", "'");
    const lost = files.filter((file) => !existsSync(join(root, file)));
    return [...lost, ...tests.filter((name) => !names.includes(name) && !texts.includes(name))];
  });
  expect(missing).toEqual([]);
});

test('every bad day that is tested is in the table of docs/concepts/robustness.md', () => {
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
