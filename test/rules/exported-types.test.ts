import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { publishedTypes } from '../../docs/option-types.ts';
import { root } from '../support/command.ts';

const at = (path: string): string => join(root, path);

/** Checks that the types inferred from the schemas and the published types accept the same scenarios. */
const agreement = `
import type * as inferred from './inferred.ts';
import type * as published from './scenario.ts';
type Loose<T> = T extends (...args: never) => unknown
  ? T
  : T extends readonly (infer Item)[]
    ? Loose<Item>[]
    : T extends object
      ? { -readonly [Key in keyof T]?: Loose<T[Key]> | undefined }
      : T;
type Both<One, Other> = One extends Other ? (Other extends One ? true : 'inferred, not published') : 'published, not inferred';
export const fields: Both<keyof published.Scenario, keyof inferred.Scenario> = true;
export const scenarios: Both<Loose<published.Scenario>, Loose<inferred.Scenario>> = true;
`;

/** Files that replace existing files or are added to them. */
const overlay = new Map([
  [at('src/scenario/scenario.ts'), publishedTypes()],
  [at('src/scenario/inferred.ts'), ts.sys.readFile(at('src/scenario/scenario.ts')) ?? ''],
  [at('src/scenario/agreement.ts'), agreement],
]);

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ESNext,
  allowImportingTsExtensions: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  strict: true,
  types: ['node'],
};
const host = ts.createCompilerHost(options, true);
const { fileExists, readFile, getSourceFile } = host;
host.fileExists = (path) => overlay.has(path) || fileExists(path);
host.readFile = (path) => overlay.get(path) ?? readFile(path);
host.getSourceFile = (path, language, ...rest) => {
  const text = overlay.get(path);
  return text === undefined ? getSourceFile(path, language, ...rest) : ts.createSourceFile(path, text, language, true);
};
const program = ts.createProgram([at('src/index.ts'), at('src/scenario/agreement.ts')], options, host);
const checker = program.getTypeChecker();
const index = program.getSourceFile(at('src/index.ts'));
const module = index && checker.getSymbolAtLocation(index);
const behind = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
const exported = new Map(
  (module === undefined ? [] : checker.getExportsOfModule(module)).map((each) => [behind(each), each.name]),
);

/** Returns the internal type names that a declaration mentions without an exported name; bodies of functions do not count. */
function unexported(declaration: ts.Node): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node)) return;
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const name = ts.isTypeReferenceNode(node) ? node.typeName : node.expression;
      const symbol = checker.getSymbolAtLocation(name);
      const type = symbol && behind(symbol);
      if (type !== undefined && isOurs(type) && !exported.has(type)) found.push(name.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(declaration);
  return found;
}

/** Reports whether authors need the name: editors show the expansion of an alias that its file does not export. */
const isOurs = (symbol: ts.Symbol): boolean =>
  (symbol.declarations ?? []).some(
    (each) =>
      !each.getSourceFile().fileName.includes('node_modules') &&
      (ts.isInterfaceDeclaration(each) || (ts.isTypeAliasDeclaration(each) && isExported(each))),
  );

const isExported = (node: ts.TypeAliasDeclaration): boolean =>
  node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

test('every type that an exported function or type names is exported too', () => {
  expect(exported.size).toBeGreaterThan(60);
  const missing = [...exported].flatMap(([symbol, name]) =>
    (symbol.declarations ?? []).flatMap(unexported).map((each) => `${name} names ${each}`),
  );
  expect([...new Set(missing)]).toEqual([]);
});

test('the published types of options compile, and accept the same scenarios as the schemas', () => {
  const files = ['scenario', 'agreement'].map((name) => program.getSourceFile(at(`src/scenario/${name}.ts`)));
  const problems = files.flatMap((file) => ts.getPreEmitDiagnostics(program, file));
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
});

describe('the doc comments of options', () => {
  const fields = ['scenario', 'embedded-faults', 'embedded-timing'].flatMap((name) => fieldsIn(name));
  const comments = new Map(fields.map(({ name, comment }) => [name, comment]));

  /** The fields of every interface for authors in a file. */
  function fieldsIn(file: string): { name: string; comment: string; isOptional: boolean }[] {
    const interfaces = program
      .getSourceFile(at(`src/scenario/${file}.ts`))
      ?.statements.filter(ts.isInterfaceDeclaration);
    return (interfaces ?? [])
      .filter(({ name }) => !/^(Resolved|Read)|Row$/.test(name.text))
      .flatMap(({ name, members }) =>
        members.map((member) => {
          const comment = ts.getJSDocCommentsAndTags(member)[0]?.comment;
          return {
            name: `${name.text}.${member.name?.getText() ?? ''}`,
            comment: typeof comment === 'string' ? comment : '',
            isOptional: member.questionToken !== undefined,
          };
        }),
      );
  }

  test.each([
    ['Scenario.timeout', / Default `'30s'`\.$/],
    ['Scenario.name', / Required\.$/],
    ['LoadOptions.sessionsPerSecond', / In sessions\/s\. Default none\.$/],
    ['LoadOptions.concurrency', / Default `10` sessions\.$/],
    ['RetryPolicyOptions.classes', / Default `\['rate_limited', .*'timed_out'\]`\.$/],
    ['EmbeddedOptions.keys', /^(?!.*chat-load-)/],
  ])('%s has its default as an author would write it', (name, words) => {
    expect(comments.get(name)).toMatch(words);
  });

  test('exist for every field, and state the default', () => {
    expect(fields.length).toBeGreaterThan(130);
    expect(fields.filter(({ comment }) => comment === '')).toEqual([]);
    expect(fields.filter(({ comment, isOptional }) => isOptional && !comment.includes('Default'))).toEqual([]);
  });
});
