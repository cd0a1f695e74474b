import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isServed, protocolNames } from '../../src/protocol/registry/registry.ts';
import { isProduction, rooms, stages as river } from './rooms.ts';

const stages: readonly string[] = river;
const root = fileURLToPath(new URL('../../src', import.meta.url));

const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(isProduction);

const importsBy = (pattern: RegExp, file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(pattern)].map((match) =>
    relative(root, resolve(root, dirname(file), match[1] ?? '')),
  );

/** Table whose rows load the parts of a protocol in later rooms on demand: the only imports against the direction. */
const registry = join('protocol', 'registry', 'registry.ts');

const importsOf = (file: string): string[] =>
  importsBy(file === registry ? /from\s*'(\.[^']+)'/g : /(?:from|import\()\s*'(\.[^']+)'/g, file);

/** Returns the imports loaded at startup: no type-only and no dynamic imports. */
const valueImportsOf = (file: string): string[] =>
  importsBy(/^(?:import|export)(?! type)[^;]*?from\s*'(\.[^']+)'/gm, file);

/** The room of a file: a stage, a bank such as `edge/http`, a feature, `app`, `cli`, or `` for the files at the top. */
function roomOf(file: string): string {
  const [first = '', second = '', ...rest] = file.split(sep);
  if (second === '') return '';
  return first === 'features' || (first === 'edge' && rest.length > 0) ? `${first}/${second}` : first;
}

const isFeature = (room: string): boolean => room.startsWith('features/');

/** Reports whether a file in one room may import from another. */
function mayImport(from: string, to: string): boolean {
  if (from === to || from === '') return true;
  if (isFeature(to)) return false;
  if (from === 'cli') return true;
  if (isFeature(from)) return to !== 'page';
  if (from === 'page') return to === 'base' || to === 'report';
  if (from === 'app') return to !== 'cli' && to !== 'page';
  if (from.startsWith('edge') || from === 'reference-service') return stages.includes(to) || to === 'edge';
  return stages.includes(to) && stages.indexOf(to) <= stages.indexOf(from);
}

/** Folders, including inner ones, that import from each other. */
function pairsOf(edges: readonly (readonly [string, string])[]): string[] {
  const known = new Set(edges.map(([from, to]) => `${from} -> ${to}`));
  return [...known].filter((edge) => {
    const [from = '', to = ''] = edge.split(' -> ');
    return from < to && known.has(`${to} -> ${from}`);
  });
}

const chatMessaging = join('protocol', 'chat-messaging');

/** Folder of a file; files at the top, which list features, stand for themselves. */
const folderOf = (file: string): string => (dirname(file) === '.' ? file : dirname(file));

/** Files from which imports lead back to them; imports of types count too. */
function inCircles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const leadsTo = (from: string): Set<string> => {
    const reached = new Set<string>();
    const visit = (file: string): void => {
      for (const target of imports.get(file) ?? []) {
        if (reached.has(target)) continue;
        reached.add(target);
        visit(target);
      }
    };
    visit(from);
    return reached;
  };
  return [...imports.keys()].filter((file) => leadsTo(file).has(file)).toSorted();
}

const folderEdges = sources.flatMap((file) =>
  importsOf(file)
    .map((target) => [folderOf(file), folderOf(target)] as const)
    .filter(([from, to]) => from !== to),
);

describe('the import rule', () => {
  test('covers every room', () => {
    const known = [...rooms, ''];
    expect(
      sources.map(roomOf).filter((room) => !known.includes(room) && !room.startsWith('edge') && !isFeature(room)),
    ).toEqual([]);
    expect(sources.length).toBeGreaterThan(50);
  });

  test('holds for every file', () => {
    const broken = sources.flatMap((file) =>
      importsOf(file)
        .filter((target) => !mayImport(roomOf(file), roomOf(target)))
        .map((target) => `${file} -> ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test('a single protocol is known only to the rooms that register it, run its service or check it', () => {
    const knowing = sources.filter((file) => importsOf(file).some((target) => target.startsWith(chatMessaging)));
    const others = knowing
      .map(roomOf)
      .filter((room) => !['app', 'cli', 'conformance', 'protocol', 'reference-service', 'scenario'].includes(room));
    expect(knowing.length).toBeGreaterThan(10);
    expect(others).toEqual([]);
  });

  test('the registry of protocols loads on demand from the folders of each protocol alone', () => {
    const folders = protocolNames.flatMap((name) => [
      join('conformance', name),
      ...(isServed(name) ? [join('reference-service', 'apis', name)] : []),
    ]);
    expect(importsBy(/import\(\s*'(\.[^']+)'/g, registry).map((file) => dirname(file))).toEqual(folders);
  });

  test('no two folders import from each other', () => {
    expect(pairsOf(folderEdges)).toEqual([]);
  });

  const loadedBy = (file: string, seen = new Set<string>()): Set<string> => {
    if (!seen.has(file)) {
      seen.add(file);
      for (const target of valueImportsOf(file)) loadedBy(target, seen);
    }
    return seen;
  };

  test('the modules loaded first by every command contain no schema: --version starts as fast as possible', () => {
    const loaded = [...loadedBy(join('cli', 'main.ts'))];
    expect(loaded.length).toBeGreaterThan(10);
    expect(
      loaded.filter((file) => /^import (?!type)[^;]*from 'zod'/m.test(readFileSync(join(root, file), 'utf8'))),
    ).toEqual([]);
  });

  test('the table of options loads nothing that records, compares or reads data sets: --help starts as fast as it can', () => {
    const loaded = [...loadedBy(join('cli', 'parser', 'options.ts'))];
    expect(loaded.length).toBeGreaterThan(10);
    const dear = ['session', 'record', 'result', 'statistics', join('compare', 'figures'), join('dataset', 'inspect')];
    expect(loaded.filter((file) => dear.some((room) => file.startsWith(room + sep)))).toEqual([]);
  });

  test('no imports are circular', () => {
    expect(inCircles(new Map(sources.map((file) => [file, importsOf(file)])))).toEqual([]);
  });

  test('finds files that import each other, and others that only lead to them', () => {
    const imports = { a: ['b'], b: ['c'], c: ['d'], d: ['b'], e: [] };
    expect(inCircles(new Map(Object.entries(imports)))).toEqual(['b', 'c', 'd']);
  });

  test('rejects forbidden imports', () => {
    expect(mayImport('plan', 'session')).toBe(false);
    expect(mayImport('edge/http', 'edge/disk')).toBe(false);
    expect(mayImport('record', 'edge/http')).toBe(false);
    expect(mayImport('app', 'cli')).toBe(false);
    expect(mayImport('edge/http', 'reference-service') || mayImport('reference-service', 'edge/http')).toBe(false);
    expect(mayImport('cli', 'features/a') || mayImport('features/a', 'features/b')).toBe(false);
    expect(mayImport('', 'features/a') && mayImport('features/a', 'cli')).toBe(true);
    expect(mayImport('session', 'plan') && mayImport('edge/http', 'session') && mayImport('cli', 'edge/http')).toBe(
      true,
    );
    expect(
      pairsOf([
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'b'],
      ]),
    ).toEqual(['b -> c']);
  });
});
