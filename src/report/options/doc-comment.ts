import type { OptionNote } from '../../scenario/option.ts';

/** What the doc comment of an option says in an editor: its meaning, its unit and its default. */
export function docComment({ meaning, unit, required, secret, default: value, without }: OptionNote): string {
  const parts = [meaning];
  if (required === true) return [...parts, 'Required.'].join(' ');
  if (unit !== undefined && typeof value !== 'number' && !meaning.toLowerCase().includes(unit))
    parts.push(`In ${unit}.`);
  const words = secret === true && value !== undefined ? 'built in' : without;
  return [...parts, words === undefined ? defaultText(value, unit) : `Default: ${words}.`].join(' ');
}

function defaultText(value: unknown, unit: string | undefined): string {
  if (value === undefined || value === null) return 'Default none.';
  return `Default \`${literal(value)}\`${typeof value === 'number' && unit !== undefined ? ` ${unit}` : ''}.`;
}

/** As an author would write it. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? quoted(value) : String(value);
  const fields = Object.entries(value).map(([key, field]) => `${key}: ${literal(field)}`);
  return `{ ${fields.join(', ')} }`;
}

const quoted = (text: string): string => (text.includes("'") ? JSON.stringify(text) : `'${text}'`);
