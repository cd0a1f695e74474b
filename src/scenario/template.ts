import { nameOrLength } from '../base/excerpt.ts';
import { valueAt } from '../base/is-object.ts';
import { sendableText } from '../base/json.ts';
import { unknownName } from '../base/unknown-name.ts';

/** Scope of a rendered template: one session at one turn. */
export interface TemplateScope {
  readonly session: { readonly number: number };
  readonly turn: { readonly number: number };
  /** `id`: eight characters that are different in every run. */
  readonly run: { readonly id: string };
  readonly variables: Readonly<Record<string, unknown>>;
  /** Draws from [0, 1); the stream belongs to the template that is being rendered. */
  random(): number;
  /** Draws from [0, 1) for ids, which differ between runs; 0 if they are the same in every run. */
  idRandom(): number;
  pick(list: string): unknown;
  /** Called when the value depends on the turn. */
  noteTurn(): void;
}

/** The names that a template may use. */
export interface KnownNames {
  /** Lists of `data`, each with its rows. */
  lists: Readonly<Record<string, readonly unknown[]>>;
  /** Variables; empty if a template may not use any. */
  variables: readonly string[];
}

type Render = (scope: TemplateScope) => unknown;

/** A compiled template. A template that consists of one placeholder renders to its value with its type, otherwise to text. */
export interface Template {
  render: Render;
  /** The text if it has no placeholders: the same for all. */
  readonly constant: string | undefined;
}

/** Compiles a template, or returns all its problems. `\{{` writes a literal `{{`. */
export function compileTemplate(text: string, known: KnownNames): Template | { problems: string[] } {
  const { parts, problems } = split(text, known);
  if (problems.length > 0) return { problems };
  const [first = ''] = parts;
  if (parts.length > 1) return { render: (scope) => joined(parts, scope), constant: undefined };
  return typeof first === 'string' ? { render: () => first, constant: first } : { render: first, constant: undefined };
}

function joined(parts: readonly (string | Render)[], scope: TemplateScope): string {
  let text = '';
  for (const part of parts) {
    const value = typeof part === 'string' ? part : part(scope);
    text += typeof value === 'string' ? value : (sendableText(value) ?? '');
  }
  return text;
}

const opening = /(\\?)\{\{/g;

/** More problems only occur in text that is not a template. */
const maxProblems = 10;

/** Splits a template into literal texts, which never follow one another, and placeholders. */
function split(text: string, known: KnownNames): { parts: (string | Render)[]; problems: string[] } {
  const parts: (string | Render)[] = [];
  const problems: string[] = [];
  let literal = '';
  let from = 0;
  opening.lastIndex = 0;
  for (let match = opening.exec(text); match !== null && problems.length < maxProblems; match = opening.exec(text)) {
    literal += text.slice(from, match.index);
    from = match.index + match[0].length;
    if (match[1] === '\\') {
      literal += '{{';
      continue;
    }
    const end = text.indexOf('}}', from);
    if (end === -1)
      return { parts, problems: [...problems, `'{{' at character ${String(match.index + 1)} is never closed`] };
    const read = readPlaceholder(text.slice(from, end), known);
    if (typeof read === 'string') problems.push(`{{${nameOrLength(text.slice(from, end), 100)}}}: ${read}`);
    else {
      if (literal !== '') parts.push(literal);
      parts.push(read);
      literal = '';
    }
    from = opening.lastIndex = end + 2;
  }
  literal += text.slice(from);
  if (literal !== '') parts.push(literal);
  return { parts, problems };
}

const generators = ['session.number', 'turn.number', 'run.id', 'pick LIST', 'int A B', 'digits N', 'uuid'];

/** Compiles a placeholder, the text between `{{` and `}}`. A text is its problem, which names the nearest known name. */
function readPlaceholder(text: string, known: KnownNames): Render | string {
  const [word = '', ...rest] = text.trim().split(/\s+/);
  if (word === 'pick') return readPick(rest, known);
  if (word === 'int') return readInt(rest);
  if (word === 'digits') return readDigits(rest);
  const path = word.split('.');
  if (rest.length === 0) {
    if (Object.hasOwn(withoutArguments, word)) return withoutArguments[word] ?? '';
    if (known.variables.includes(path[0] ?? '')) return ({ variables }) => valueAt(variables, path);
  }
  return unknownName('name', text.trim(), [...generators, ...known.variables]);
}

const withoutArguments: Readonly<Record<string, Render>> = {
  'session.number': ({ session }) => session.number,
  'turn.number': (scope) => {
    scope.noteTurn();
    return scope.turn.number;
  },
  'run.id': ({ run }) => run.id,
  uuid: drawUuid,
};

function readPick(words: readonly string[], known: KnownNames): Render | string {
  const [list = '', ...path] = (words[0] ?? '').split('.');
  if (words.length !== 1 || list === '') return 'pick takes a list, such as {{pick customers.name}}';
  const rows = Object.hasOwn(known.lists, list) ? known.lists[list] : undefined;
  if (rows === undefined) return unknownName('list', list, Object.keys(known.lists));
  const without = path.length === 0 ? -1 : rows.findIndex((row) => valueAt(row, path) === undefined);
  if (without === -1) return (scope) => valueAt(scope.pick(list), path);
  const row = rows[without];
  const fields = typeof row === 'object' && row !== null ? Object.keys(row) : [];
  return `row ${String(without + 1)} of list '${list}': ${unknownName('field', path.join('.'), fields)}`;
}

function readInt(words: readonly string[]): Render | string {
  const [min = NaN, max = NaN] = words.map(Number);
  if (words.length !== 2 || !Number.isSafeInteger(min) || !Number.isSafeInteger(max) || min > max)
    return 'int takes two whole numbers, the smaller one first, such as {{int 1 100}}';
  return (scope) => min + Math.floor(scope.random() * (max - min + 1));
}

function readDigits(words: readonly string[]): Render | string {
  const count = Number(words[0]);
  if (words.length !== 1 || !Number.isInteger(count) || count < 1 || count > 1000)
    return 'digits takes a number of digits from 1 to 1000, such as {{digits 6}}';
  return (scope) => {
    let digits = '';
    for (let i = 0; i < count; i++) digits += String(Math.floor(scope.random() * 10));
    return digits;
  };
}

/** Returns a version 4 UUID (RFC 9562) from the seeded stream and that of the run. */
export function drawUuid(scope: Pick<TemplateScope, 'random' | 'idRandom'>): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (mark) => {
    const drawn = (Math.floor(scope.random() * 16) + Math.floor(scope.idRandom() * 16)) % 16;
    return (mark === 'x' ? drawn : 8 + (drawn % 4)).toString(16);
  });
}
