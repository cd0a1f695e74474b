import { createHash } from 'node:crypto';
import { jsonText } from '../base/json.ts';

/** Returns the SHA-256, in hexadecimal, of a value as canonical JSON: keys sorted, functions as their source. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex');
}

function canonical(value: unknown): string {
  if (typeof value === 'function') return JSON.stringify(`function ${String(value)}`);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return jsonText(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(',')}}`;
}
