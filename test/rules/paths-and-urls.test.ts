import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from '../support/command.ts';

// A path becomes a URL by `pathToFileURL` and a URL becomes a path by `fileURLToPath`, and by nothing else: `%`, `#` and `?`
// are ordinary characters of paths, and syntax in URLs.

/** Folders of the product that read and write files, and never handle URLs. */
const filesOnly =
  /^src\/(?:edge\/disk\/|app\/(?:dataset|fit|trend|compare|nightly)\/|edge\/(?:open-file|tool-version)\.ts)/;
const urlNames = new Set(['URL', 'encodeURIComponent', 'decodeURIComponent', 'fileURLToPath', 'pathToFileURL']);
/** Functions that ignore which part of a URL a text is. */
const banned = new Set(['encodeURI', 'decodeURI', 'unescape']);

/** Uses that the rule would refuse, with the reason. */
const allowed: Readonly<Record<string, string>> = {
  'src/app/run/with-target.ts import(streamPackage)': 'the name of a package',
  'test/preload/refuse-calls.mjs import(name)': 'the name of a package',
  'docs/nightly/nightly.mjs import(command.href)': 'a URL of import.meta.resolve',
  'test/support/gossiping-service.ts encodeURI': 'a service that repeats its requests in Location',
};

const folders = ['src', 'bench', 'dev', 'docs', 'scenarios', 'test'];
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:[cm]?js|tsx?)$/.test(file) && !/node_modules|\.d\.ts$|^site\/(?!\w+\.ts$)/.test(file))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
);

/** Returns the places of a source that convert between paths and URLs by other means, or mix them. */
function conversions(file: string, text: string): string[] {
  if (!mayConvert.test(text)) return [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const part = conversionAt(node, file);
    if (part !== undefined) found.push(`${file} ${part.replaceAll(/\s+/g, ' ')}`);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

/** Quick check of a file before it is parsed. */
const mayConvert = /URL|import\.meta|file:|import\(\w|(?:de|en)codeURI|unescape/;

function conversionAt(node: ts.Node, file: string): string | undefined {
  if (ts.isIdentifier(node)) {
    const isUrl = filesOnly.test(file) && urlNames.has(node.text) && !file.endsWith('.test.ts');
    return banned.has(node.text) || isUrl ? node.text : undefined;
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'URL') {
    const [given, base] = node.arguments ?? [];
    const isOwn = base !== undefined && /\bimport\.meta\b/.test(base.getText());
    return isOwn && given !== undefined && !ts.isStringLiteralLike(given) ? node.getText() : undefined;
  }
  if (ts.isPropertyAccessExpression(node))
    return node.name.text === 'pathname' && /\bimport\.meta\b|pathToFileURL/.test(node.expression.getText())
      ? node.getText()
      : undefined;
  if (ts.isTemplateExpression(node)) return /^file:\/\//.test(node.head.text) ? node.getText() : undefined;
  if (ts.isBinaryExpression(node))
    return node.operatorToken.kind === ts.SyntaxKind.PlusToken && /^['"`]file:\/\//.test(node.left.getText())
      ? node.getText()
      : undefined;
  return importedPath(node);
}

/** Returns an import of a value that is neither a constant text nor a URL of `pathToFileURL`. */
function importedPath(node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) return undefined;
  const [given] = node.arguments;
  const isConstant = given !== undefined && ts.isStringLiteralLike(given);
  return isConstant || /^pathToFileURL\([^]*\)\.href$/.test(given?.getText() ?? '') ? undefined : node.getText();
}

test('paths become URLs, and URLs paths, by the functions of Node.js alone', () => {
  expect(files.length).toBeGreaterThan(1000);
  const found = files
    .filter((file) => file !== 'test/rules/paths-and-urls.test.ts')
    .flatMap((file) => conversions(file, readFileSync(join(root, file), 'utf8')));
  expect(found.filter((each) => allowed[each] === undefined)).toEqual([]);
  // An entry without its use could allow another one later.
  expect(Object.keys(allowed).filter((each) => !found.includes(each))).toEqual([]);
});

test.each<[string, number]>([
  ['fileURLToPath(new URL(`../../${path}`, import.meta.url))', 1],
  ["fileURLToPath(new URL('../..', import.meta.url))", 0],
  ['new URL(path, import.meta.url)', 1],
  ['new URL(url)', 0],
  ["new URL('a.ts', import.meta.url).pathname", 1],
  ['new URL(import.meta.url).pathname', 1],
  ['pathToFileURL(path).pathname', 1],
  ['new URL(address).pathname', 0],
  ['`file://${path}`', 1],
  ["'file://' + path", 1],
  ["place.startsWith('file://')", 0],
  ['decodeURI(url)', 1],
  ['import(path)', 1],
  ['import(pathToFileURL(path).href)', 0],
  ["import('./a.ts')", 0],
])('the rule finds in %s: %d', (source, count) => {
  expect(conversions('src/cli/a.ts', source)).toHaveLength(count);
});

test.each(['new URL(path)', 'decodeURIComponent(path)', 'pathToFileURL(path)'])(
  'code that only handles files has no %s',
  (source) => {
    expect(conversions('src/edge/disk/a.ts', source)).toHaveLength(1);
    expect(conversions('src/edge/http/a.ts', source)).toEqual([]);
  },
);
