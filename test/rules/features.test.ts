import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { features } from '../../src/features.ts';
import { root } from '../support/command.ts';
import { isProduction } from './rooms.ts';

const at = join(root, 'src');
const folder = join(at, 'features');
/** Folders of features; none if all were removed. */
const names = existsSync(folder) ? readdirSync(folder) : [];
const sources = readdirSync(at, { recursive: true, encoding: 'utf8' })
  .filter(isProduction)
  .map((file) => ({ file: file.replaceAll('\\', '/'), text: readFileSync(join(at, file), 'utf8') }));

/** Imports between files, dynamic ones included. */
const imports = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/(?:from|import\(|import)\s*'(\.[^']+)'/g)].map(([, path = '']) => ({
    from: file,
    to: relative(at, resolve(at, dirname(file), path)).replaceAll('\\', '/'),
  })),
);

test('every folder of a feature is in the list, by its name', () => {
  expect(features.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

describe.each(names)('the feature %s', (name) => {
  const folder = `features/${name}/`;
  const inside = (file: string): boolean => file.startsWith(folder);

  test('is loaded by features.ts alone, and exported by index.ts', () => {
    const entries = imports
      .filter(({ from, to }) => inside(to) && !inside(from))
      .map(({ from, to }) => `${from} ${to}`);
    expect(new Set(entries.filter((each) => each !== `index.ts ${folder}index.ts`))).toEqual(
      new Set([`features.ts ${folder}feature.ts`]),
    );
  });

  test('is not named by the core', () => {
    const mention = new RegExp(`chat-load[ /]${name}\\b`);
    const naming = sources.filter(({ file, text }) => !file.startsWith('features/') && mention.test(text));
    expect(naming.map(({ file }) => file)).toEqual([]);
  });

  test('starts with little: feature.ts imports code on demand', () => {
    const { text = '' } = sources.find(({ file }) => file === `${folder}feature.ts`) ?? {};
    const eager = [...text.matchAll(/^import (?!type)[^;]*?from '(\.[^']+)'/gm)].map(([, path = '']) => path);
    expect(eager.filter((path) => path.startsWith('./'))).toEqual([]);
  });
});
