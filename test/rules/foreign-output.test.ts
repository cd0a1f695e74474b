import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../src', import.meta.url));
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts') && !file.startsWith('page/'))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

interface Source {
  file: string;
  text: string;
}

/** Every use of a kind in a file, as `file: text`. */
function usesOf({ file, text }: Source, use: (node: ts.Node) => ts.Node | undefined): string[] {
  if (!/stdout|stderr|console|process'/.test(text)) return [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const used = use(node);
    if (used !== undefined) found.push(`${file}: ${used.getText().replace(/\s+/g, ' ')}`);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

/** The console, the streams of the process with their uses, and the ways to obtain one from `process`. */
function rawOutput(node: ts.Node): ts.Node | undefined {
  const isStream =
    (ts.isPropertyAccessExpression(node) && /^process\.(stdout|stderr)$/.test(node.getText())) ||
    (ts.isElementAccessExpression(node) && /^process\[.*(stdout|stderr)/.test(node.getText()));
  if (isStream) return node.parent;
  if (
    ts.isVariableDeclaration(node) &&
    ts.isObjectBindingPattern(node.name) &&
    node.initializer?.getText() === 'process'
  )
    return /\b(stdout|stderr)\b/.test(node.name.getText()) ? node : undefined;
  if (ts.isImportDeclaration(node) && /^'(node:)?process'$/.test(node.moduleSpecifier.getText())) return node;
  const isConsole = ts.isIdentifier(node) && node.text === 'console';
  return isConsole ? node.parent : undefined;
}

const cleaning = new Set(['printable', 'printableLines', 'printableJson', 'String', 'countOf', 'clean']);
const isColour = (callee: ts.Node): boolean => /^(stdout|stderr)\.colors\.\w+$/.test(callee.getText());

/** Reports whether a text has no foreign parts, or only parts made printable in the same expression. */
function isOwn(node: ts.Node): boolean {
  if (ts.isStringLiteralLike(node)) return true;
  if (ts.isTemplateExpression(node)) return node.templateSpans.every(({ expression }) => isOwn(expression));
  if (ts.isConditionalExpression(node)) return isOwn(node.whenTrue) && isOwn(node.whenFalse);
  if (ts.isBinaryExpression(node)) return isOwn(node.left) && isOwn(node.right);
  if (ts.isParenthesizedExpression(node)) return isOwn(node.expression);
  if (!ts.isCallExpression(node)) return false;
  if (isColour(node.expression)) return node.arguments.every(isOwn);
  return cleaning.has(node.expression.getText());
}

/** The argument of `stderr.line` if it is neither a text of chat-load nor made printable there. */
function openLine(node: ts.Node): ts.Node | undefined {
  if (!ts.isPropertyAccessExpression(node) || !/^(stdout|stderr)\.line$/.test(node.getText())) return undefined;
  const call = node.parent;
  if (!ts.isCallExpression(call) || call.expression !== node) return node;
  return call.arguments.find((argument) => !isOwn(argument));
}

describe('output for people', () => {
  test('goes through the terminal alone', () => {
    const raw = sources
      .filter(({ file }) => file !== join('cli', 'console', 'terminal.ts'))
      .flatMap((source) => usesOf(source, rawOutput));
    expect(raw.toSorted()).toEqual(
      [
        // The width and the kind of a stream are not output.
        'cli/main.ts: process.stderr.isTTY',
        'cli/main.ts: process.stdout.columns',
        // The questions of init, which quote nothing.
        'cli/perform/init.ts: output: process.stdout',
        // Blocks that are redrawn in place: `shownText` makes them printable.
        'cli/console/screen.ts: createLogUpdate(process.stderr)',
        'cli/console/screen.ts: stream: process.stderr',
        // A dataset as it is, to another program.
        'cli/perform/workload.ts: pipeSink(process.stdout)',
      ].toSorted(),
    );
  });

  test('is a note if it quotes anything, or made printable before', () => {
    expect(sources.flatMap((source) => usesOf(source, openLine)).toSorted()).toEqual(
      [
        // Reports: printable-reports.test.ts makes them quote hostile texts.
        "cli/perform/ab.ts: `${await documentText(await viewPlan(side), 'terminal')}\\n`",
        "cli/perform/ab.ts: runLine(run, recorded, stderr).replace(/^/gm, ' ')",
        "cli/perform/workload.ts: `${await documentText(fitted, 'terminal', { style: stderr })}\\n`",
        'cli/console/deliver.ts: await documentText<Each>(document, format, ending)',
        'cli/perform/report.ts: await render(printed, stdout)',
        'cli/perform/run.ts: runLine(name, recorded, stdout)',
        "cli/perform/try.ts: renderContact(contact, nextStep(contact, { plan, scenario, start, unshown }), stdout, args['all'] === true)",
        // An error of the user: ChatLoadError makes its texts printable.
        "cli/console/terminal.ts: withOpenPages(`${stderr.colors.red('error')} ${thrown.message}\\n${thrown.hint}`)",
        // Source text with quoted values.
        "cli/perform/workload.ts: sourceIn('.', fitted).trimEnd()",
        // Lines of other chat-load commands, which have cleaned them.
        'cli/perform/nightly.ts: line',
        'cli/perform/nightly.ts: line',
        // Paths are made printable where these messages are composed.
        'cli/perform/init.ts: `\\n${sourceLine(folder)}${job}${nextSteps({ folder, example, missing, target })}`',
        // Help pages.
        'cli/main.ts: spaced(page)',
      ].toSorted(),
    );
  });
});

describe('the search for foreign output finds', () => {
  const planted = (text: string): Source => ({ file: 'x.ts', text });

  test.each([
    'process.stderr.write(text)',
    'process.stdout.write(`${text}`)',
    'console.error(text)',
    "process['stdout'].write(text)",
    'const { log } = console',
    'const { stderr } = process',
    "import { stderr } from 'node:process'",
  ])('raw output: %s', (text) => {
    expect(usesOf(planted(text), rawOutput)).toHaveLength(1);
  });

  test.each([
    'stderr.line(`error ${message}`)',
    'stdout.line(text)',
    "stdout.line('a' + text)",
    'stdout.line(stdout.colors.red(text))',
    "stdout.line(isLong ? text : 'a')",
    'show(stdout.line)',
  ])('an open line: %s', (text) => {
    expect(usesOf(planted(text), openLine)).toHaveLength(1);
  });

  test.each([
    "stdout.line('a')",
    'stdout.line(`a ${printable(b)} ${String(c)}`)',
    "stdout.line(`${stdout.colors.red('error')} ${printable(b)}`)",
    'stdout.note(text)',
  ])('nothing in %s', (text) => {
    expect(usesOf(planted(text), openLine)).toEqual([]);
  });
});
