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
  if (value instanceof Code) return value.text;
  if (typeof value === 'string') return textLiteral(value);
  if (!Array.isArray(value) && !isObject(value)) return jsonText(value) ?? 'undefined';
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const items = (inner: string): string[] =>
    isList
      ? value.map((item) => literal(item, inner))
      : Object.entries(value).map(([key, item]) => fieldOf(key, item, inner));
  if (items('').length === 0) return open + close;
  const inline = isList ? `[${items(indent).join(', ')}]` : `{ ${items(indent).join(', ')} }`;
  if (inline.length <= 100 && !inline.includes('\n')) return inline;
  const inner = `${indent}  `;
  return `${open}\n${items(inner)
    .map((item) => `${inner}${item},\n`)
    .join('')}${indent}${close}`;
}

function fieldOf(key: string, value: unknown, indent: string): string {
  const text = literal(value, indent);
  if (text === key && value instanceof Code) return key;
  return `${nameLiteral(key)}: ${text}`;
}

const nameLiteral = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : textLiteral(name));

export function textLiteral(text: string): string {
  return `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;
}
