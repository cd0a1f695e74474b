import ts from 'typescript';
import { expect, test } from 'vitest';

const program = ts.createProgram(['src/index.ts'], {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ESNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  types: ['node'],
});
const checker = program.getTypeChecker();
const index = program.getSourceFile('src/index.ts');
const module = index && checker.getSymbolAtLocation(index);
const behind = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
const exported = new Map(
  (module === undefined ? [] : checker.getExportsOfModule(module)).map((each) => [behind(each), each.name]),
);

/** The names of types of ours that a declaration states and no exported name stands for; bodies of functions state none. */
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

/** Whether an author would have to name it: an editor shows what an alias stands for that its own file keeps to itself. */
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
