import { valueAt } from '../base/is-object.ts';
import { unknownName } from '../base/unknown-name.ts';

/** A parsed placeholder: the text between `{{` and `}}`. */
export type Placeholder =
  | { kind: 'session.number' }
  | { kind: 'turn.number' }
  | { kind: 'pick'; list: string; path: readonly string[] }
  | { kind: 'int'; min: number; max: number }
  | { kind: 'digits'; count: number }
  | { kind: 'uuid' }
  | { kind: 'variable'; path: readonly string[] };

/** The names that a template may use. */
export interface KnownNames {
  /** Lists of `data`, each with its rows. */
  lists: Readonly<Record<string, readonly unknown[]>>;
  /** Variables; empty if a template may not use any. */
  variables: readonly string[];
}

const generators = ['session.number', 'turn.number', 'pick LIST', 'int A B', 'digits N', 'uuid'];

/** Parses a placeholder; a problem names the nearest known name. */
export function readPlaceholder(text: string, known: KnownNames): Placeholder | { problem: string } {
  const [word = '', ...rest] = text.trim().split(/\s+/);
  if (rest.length === 0 && (word === 'session.number' || word === 'turn.number' || word === 'uuid'))
    return { kind: word };
  if (word === 'pick') return readPick(rest, known);
  if (word === 'int') return readInt(rest);
  if (word === 'digits') return readDigits(rest);
  const path = word.split('.');
  if (rest.length === 0 && known.variables.includes(path[0] ?? '')) return { kind: 'variable', path };
  return { problem: unknownName('name', text.trim(), [...generators, ...known.variables]) };
}

function readPick(words: readonly string[], known: KnownNames): Placeholder | { problem: string } {
  const [list = '', ...path] = (words[0] ?? '').split('.');
  if (words.length !== 1 || list === '') return { problem: 'pick takes a list, such as {{pick customers.name}}' };
  const rows = Object.hasOwn(known.lists, list) ? known.lists[list] : undefined;
  if (rows === undefined) return { problem: unknownName('list', list, Object.keys(known.lists)) };
  const without = path.length === 0 ? -1 : rows.findIndex((row) => valueAt(row, path) === undefined);
  if (without === -1) return { kind: 'pick', list, path };
  const row = rows[without];
  const fields = typeof row === 'object' && row !== null ? Object.keys(row) : [];
  return { problem: `row ${String(without + 1)} of list '${list}': ${unknownName('field', path.join('.'), fields)}` };
}

function readInt(words: readonly string[]): Placeholder | { problem: string } {
  const [min, max] = words.map(Number);
  if (words.length !== 2 || !Number.isSafeInteger(min) || !Number.isSafeInteger(max) || Number(min) > Number(max))
    return { problem: 'int takes two whole numbers, the smaller one first, such as {{int 1 100}}' };
  return { kind: 'int', min: Number(min), max: Number(max) };
}

function readDigits(words: readonly string[]): Placeholder | { problem: string } {
  const count = Number(words[0]);
  if (words.length !== 1 || !Number.isInteger(count) || count < 1 || count > 1000)
    return { problem: 'digits takes a number of digits from 1 to 1000, such as {{digits 6}}' };
  return { kind: 'digits', count };
}
