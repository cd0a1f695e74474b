import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from '../support/command.ts';

/**
 * Declarations that build regular expressions, with the bound of what they are built from. Compiling and running an expression takes
 * more than linear time in its length: none may be built from texts of any length, such as secrets, replies and user input.
 */
const bounded: Readonly<Record<string, readonly [count: number, bound: string]>> = {
  'app/init/own-definition.ts ownApi': [1, 'one of four names in the same statement'],
  'app/library/documents.ts readMargin': [1, 'a unit, one of two in the same function'],
  'base/printable.ts unprintable': [1, 'constants, once'],
  'base/redact.ts shortRedactorOf': [
    1,
    'the forms of a key of at most 7 characters, and its mark: callers check the length',
  ],
  'cli/console/terminal.ts unshown': [1, 'constants, once'],
  'dataset/redact/personal-rules.ts keyRule': [1, 'constants, once'],
  'dataset/scan-conversation.ts head': [1, 'constants, once'],
  'dataset/scan-conversation.ts tail': [1, 'constants, once'],
  'dataset/scan-conversation.ts message': [1, 'constants, once'],
  'edge/http/response/header-grammar.ts byteTable': [1, 'constants, once'],
  'edge/http/response/header-grammar.ts headerLine': [1, 'constants, once'],
  'edge/http/response/header-grammar.ts foldedLine': [1, 'constants, once'],
  'edge/http/response/header-grammar.ts chunkSizeLine': [1, 'constants, once'],
  'protocol/model-api/repeated-event.ts numberPlace': [1, 'the name of a field, a constant of the protocol'],
  'reference-service/conversation/compose-reply.ts anySkill': [1, 'constants, once'],
  'reference-service/model/call-headers.ts parentIdIn': [1, 'a trace id, which is 32 digits'],
  'reference-service/model/make-answer.ts textTest': [
    1,
    'a pattern of the scenario, at most 1,000 characters: see isPattern',
  ],
  'report/progress.ts unclean': [1, 'constants, once'],
  'report/words/junit.ts unfit': [1, 'constants, once'],
  'report/words/markdown-text.ts live': [1, 'constants, once'],
  'report/words/table.ts colour': [1, 'constants, once'],
  'scenario/model-options.ts isPattern': [1, 'a pattern of the scenario, after its length was checked'],
  'scenario/recognize-url.ts endingOf': [2, 'a path of a protocol, a constant; the URL is not a part of it'],
  'session/judge-fitness.ts describeAnswer': [1, 'a status code, a number'],
};

const source = join(root, 'src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|d)\.ts$/.test(file))
  .map((file) => ({ file: file.replaceAll('\\', '/'), text: readFileSync(join(source, file), 'utf8') }));

const isConstant = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) ||
  ts.isRegularExpressionLiteral(node) ||
  (ts.isBinaryExpression(node) && isConstant(node.left) && isConstant(node.right)) ||
  (ts.isParenthesizedExpression(node) && isConstant(node.expression)) ||
  (ts.isTaggedTemplateExpression(node) && isConstant(node.template));

/** Returns the declarations of a file that build expressions from other values than literals: `RegExp` under any other name counts too. */
function builtIn(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node, declaration: string): void => {
    const within = nameOf(node) ?? declaration;
    const isNamed = ts.isIdentifier(node) && node.text === 'RegExp';
    if (isNamed && !ts.isTypeReferenceNode(node.parent) && !isOfConstants(node)) found.push(`${file} ${within}`);
    ts.forEachChild(node, (child) => visit(child, within));
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), '');
  return found;
}

/** Reports whether an expression is built here, from constants. */
const isOfConstants = (node: ts.Node): boolean =>
  (ts.isNewExpression(node.parent) || ts.isCallExpression(node.parent)) &&
  node.parent.expression === node &&
  (node.parent.arguments ?? []).every(isConstant);

/** Returns the name of a declaration at the top of a file. */
function nameOf(node: ts.Node): string | undefined {
  if (ts.isSourceFile(node)) return undefined;
  const isTop = ts.isSourceFile(ts.isVariableDeclaration(node) ? node.parent.parent.parent : node.parent);
  const isDeclaration = ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) || ts.isVariableDeclaration(node);
  return isTop && isDeclaration ? node.name?.getText() : undefined;
}

const rule = (declaration: string): string =>
  `${declaration}: builds a regular expression. Build none from texts of any length (secrets, replies, input); if its length is bounded, add the bound to \`bounded\` in test/rules/built-expressions.test.ts.`;

test('regular expressions are built only from texts of bounded length, each with its bound in a list', () => {
  const counts = new Map<string, number>();
  for (const each of files.flatMap(({ file, text }) => (text.includes('RegExp') ? builtIn(file, text) : [])))
    counts.set(each, (counts.get(each) ?? 0) + 1);
  expect([...counts].filter(([each, count]) => count > (bounded[each]?.[0] ?? 0)).map(([each]) => rule(each))).toEqual(
    [],
  );
  // An entry without its expression could allow another one later.
  expect(Object.entries(bounded).filter(([each, [count]]) => count !== counts.get(each))).toEqual([]);
});

test.each<[string, string, string[]]>([
  ['a variable', 'const a = new RegExp(b);', ['f a']],
  ['a call without new', 'function c() { return RegExp(`a${b}`); }', ['f c']],
  ['flags', "class D { e = new RegExp('a', b); }", ['f D']],
  ['another name', 'const Other = RegExp;', ['f Other']],
  ['globalThis', 'const a = new globalThis.RegExp(b);', ['f a']],
  ['literals', "const a = [new RegExp('a' + `b`, 'g'), RegExp(/c/), new RegExp(String.raw`d`)];", []],
  ['a type', 'const a: RegExp = /b/; function c(d: readonly RegExp[]): void {}', []],
])('the rule sees %s', (_, text, expected) => expect(builtIn('f', text)).toEqual(expected));
