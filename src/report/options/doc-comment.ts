import type { ScenarioOption } from '../../scenario/scenario-options.ts';

/** What the doc comment of an option says in an editor: its meaning, its unit and its default. */
export function docComment({ meaning, unit, required, secret, default: value }: ScenarioOption): string {
  const parts = [meaning];
  if (required === true) return [...parts, 'Required.'].join(' ');
  if (unit !== undefined && typeof value !== 'number' && !meaning.toLowerCase().includes(unit))
    parts.push(`In ${unit}.`);
  return [...parts, defaultText(secret === true && value !== undefined ? 'built in' : value, unit)].join(' ');
}

function defaultText(value: unknown, unit: string | undefined): string {
  if (value === undefined || value === null) return 'Default none.';
  if (typeof value === 'string' && value.includes(' ')) return `Default: ${value}.`;
  return `Default \`${literal(value)}\`${typeof value === 'number' && unit !== undefined ? ` ${unit}` : ''}.`;
}

/** As an author would write it. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? `'${value}'` : String(value);
  const fields = Object.entries(value).map(([key, field]) => `${key}: ${literal(field)}`);
  return `{ ${fields.join(', ')} }`;
}
