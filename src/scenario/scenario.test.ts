import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** The fields that may be left out, as they are found. */
const optional = new Set<string>();

/** The doc comment of every field of every interface for authors in a file, by `Interface.field`. */
function docComments(file: string): Map<string, string> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found = new Map<string, string>();
  source.forEachChild((node) => {
    if (!ts.isInterfaceDeclaration(node) || /^(Settled|Read)|Row$/.test(node.name.text)) return;
    for (const member of node.members) {
      const comment = ts.getJSDocCommentsAndTags(member)[0]?.comment;
      if (member.questionToken !== undefined) optional.add(`${node.name.text}.${member.name?.getText() ?? ''}`);
      found.set(`${node.name.text}.${member.name?.getText() ?? ''}`, typeof comment === 'string' ? comment : '');
    }
  });
  return found;
}

const comments = docComments('./scenario.ts');

test('a doc comment holds the default as an author would write it', () => {
  const of = (name: string): string => comments.get(name) ?? '';
  expect(of('Scenario.timeout')).toMatch(/ Default `'30s'`\.$/);
  expect(of('Scenario.name')).toMatch(/ Required\.$/);
  expect(of('LoadOptions.sessionsPerSecond')).toMatch(/ In sessions\/s\. Default none\.$/);
  expect(of('LoadOptions.concurrency')).toMatch(/ Default `10` sessions\.$/);
  expect(of('RetryPolicyOptions.classes')).toMatch(/ Default `\['rate_limited', .*'timed_out'\]`\.$/);
  expect(of('EmbeddedOptions.keys')).not.toContain('chat-load-');
});

test('a field that may be left out says what holds then', () => {
  const files = ['./scenario.ts', './embedded-faults.ts', './embedded-timing.ts'];
  const silent = files.flatMap((file) => [...docComments(file)]).filter(([name]) => optional.has(name));
  expect(silent.length).toBeGreaterThan(60);
  expect(silent.filter(([, comment]) => !comment.includes('Default')).map(([name]) => name)).toEqual([]);
});

test('every field of a scenario has a doc comment', () => {
  expect(comments.size).toBeGreaterThan(70);
  expect([...comments].filter(([, comment]) => comment === '').map(([name]) => name)).toEqual([]);
});
