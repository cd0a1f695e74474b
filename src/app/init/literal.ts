import { isObject } from '../../base/is-object.ts';
import { jsonText } from '../../base/json.ts';

/** An expression of TypeScript in the place of a value. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Returns the TypeScript of a JSON value that may contain expressions. */
export function literal(value: unknown, indent = ''): string {
  const inline = inlineOf(value);
  if (!isCompound(value) || (inline.length <= 100 && !inline.includes('\n'))) return inline;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const lines = itemsOf(value, (item) => literal(item, inner)).map((item) => `${inner}${item},\n`);
  return `${open}\n${lines.join('')}${indent}${close}`;
}

/** Returns a value on one line. */
function inlineOf(value: unknown): string {
  if (value instanceof Code) return value.text;
  if (typeof value === 'string') return textLiteral(value);
  if (!isCompound(value)) return jsonText(value) ?? 'undefined';
  const items = itemsOf(value, inlineOf).join(', ');
  if (Array.isArray(value)) return `[${items}]`;
  return items === '' ? '{}' : `{ ${items} }`;
}

const isCompound = (value: unknown): value is object =>
  Array.isArray(value) || (isObject(value) && !(value instanceof Code));

const itemsOf = (value: object, write: (item: unknown) => string): string[] =>
  Array.isArray(value) ? value.map(write) : Object.entries(value).map(([key, item]) => fieldOf(key, item, write(item)));

function fieldOf(key: string, value: unknown, text: string): string {
  if (value instanceof Code && (text === key || text.startsWith('...'))) return text;
  return `${nameLiteral(key)}: ${text}`;
}

export function nameLiteral(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : textLiteral(name);
}

export function textLiteral(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;
}
