import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from '../support/command.ts';
import { hangMs, waitMs } from '../support/deadline.ts';

// No test fails because a machine is slow or busy: limits find hangs alone, and durations are judged in virtual time.

/** Functions whose last argument is a limit if it is a number. */
const limited = /^(test|it|describe|beforeAll|beforeEach|afterAll|afterEach)\b/;
/** Waits with a default limit of one second, which no configuration changes. */
const waits = /^vi\.(waitUntil|waitFor)$/;
const clocks = /^(performance|Date)\.now\(\) - /;

/** Returns limits that a slow machine could reach, with their places. */
function smallLimits(file: string, source: string): string[] {
  if (!mayHaveLimits.test(source)) return [];
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const add = (node: ts.Node): void => {
    const { line } = parsed.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${file}:${String(line + 1)} ${node.getText().slice(0, 60)}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'timeout' && isBelow(node.initializer, waitMs))
      add(node);
    if (ts.isCallExpression(node)) {
      const name = node.expression.getText();
      const last = node.arguments.at(-1);
      if (limited.test(name) && last !== undefined && isBelow(last, hangMs)) add(last);
      if (waits.test(name) && !/\bpatient\b/.test(node.arguments[1]?.getText() ?? '')) add(node);
      if (/\.toBeLess/.test(name) && clocks.test(judgedBy(node))) add(node);
    }
    node.forEachChild(visit);
  };
  visit(parsed);
  return found;
}

const isBelow = (node: ts.Node, limit: number): boolean =>
  ts.isNumericLiteral(node) && Number(node.text) > 0 && Number(node.text) < limit;

/** Returns the text of the value that an assertion judges. */
function judgedBy(assertion: ts.CallExpression): string {
  const { expression } = assertion;
  const inner = ts.isPropertyAccessExpression(expression) ? expression.expression : expression;
  return ts.isCallExpression(inner) ? (inner.arguments[0]?.getText() ?? '') : '';
}

/** Quick check of a file before it is parsed. */
const mayHaveLimits = /timeout:|vi\.wait|\.now\(\) - |\d{4}|\d_\d{3}/;

test('no test has a limit on time that a slow machine could reach', () => {
  const files = ['src', 'test']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => /\.test\.tsx?$|^test\/.*\.ts$/.test(file) && !file.includes('node_modules'));
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) => smallLimits(file, readFileSync(join(root, file), 'utf8')));
  expect(found).toEqual([]);
});

test.each([
  ["test('x', () => {}, 60_000);", 1],
  ["test.each([1])('x', () => {}, 5000);", 1],
  ["test('x', { timeout: 60_000 }, () => {});", 1],
  ['beforeAll(start, 30_000);', 1],
  ['await vi.waitUntil(holds);', 1],
  ['await vi.waitFor(holds, { timeout: 900_000 });', 1],
  ['await expect.poll(holds, { timeout: 5000 }).toBe(true);', 1],
  ["execFile('sh', [], { timeout: 5000 });", 1],
  ['expect(performance.now() - began).toBeLessThan(15_000);', 1],
  ["test('x', { timeout: 900_000 }, () => {});", 0],
  ['await vi.waitUntil(holds, { ...patient, interval: 2 });', 0],
  ['setTimeout(answer, 20);', 0],
])('%s has %d such limits', (source, count) => {
  expect(smallLimits('x.test.ts', source)).toHaveLength(count);
});
