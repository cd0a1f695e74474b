import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { scenarioOptions } from './scenario-options.ts';

/** The doc comment of every field of every interface for authors in a file, by `Interface.field`. */
function docComments(file: string): Map<string, string> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found = new Map<string, string>();
  source.forEachChild((node) => {
    if (!ts.isInterfaceDeclaration(node) || node.name.text.startsWith('Settled')) return;
    for (const member of node.members) {
      const comment = ts.getJSDocCommentsAndTags(member)[0]?.comment;
      found.set(`${node.name.text}.${member.name?.getText() ?? ''}`, typeof comment === 'string' ? comment : '');
    }
  });
  return found;
}

const interfaces: Readonly<Record<string, string>> = {
  '': 'Scenario',
  target: 'TargetOptions',
  'target.createSession': 'CreateSessionOptions',
  load: 'LoadOptions',
  retry: 'RetryPolicyOptions',
  stopWhen: 'StopOptions',
  embedded: 'EmbeddedOptions',
};

const comments = new Map([...docComments('./scenario.ts'), ...docComments('./embedded.ts')]);

test.each(scenarioOptions.map((option) => option.name))(
  'the doc comment of %s says what the option table says',
  (name) => {
    const cut = name.lastIndexOf('.');
    const owner = interfaces[name.slice(0, Math.max(0, cut))];
    expect(comments.get(`${owner ?? '?'}.${name.slice(cut + 1)}`)).toBe(
      scenarioOptions.find((option) => option.name === name)?.meaning,
    );
  },
);

test('every field of a scenario has a doc comment', () => {
  expect(comments.size).toBeGreaterThan(70);
  expect([...comments].filter(([, comment]) => comment === '').map(([name]) => name)).toEqual([]);
});
