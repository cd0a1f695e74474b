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

/** Maximum length; leaves room for suffixes in names of pods and services, which have at most 63 characters. */
export const maxLabelLength = 40;

/** Reports whether a text is a DNS-1123 label that begins with a letter and leaves room for suffixes. */
export function isDnsLabel(text: string): boolean {
  return text.length <= maxLabelLength && /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(text);
}

/** Converts a text to a DNS label. A changed label ends in a few digits of the text's hash, so that different texts have different labels. */
export function dnsLabel(text: string): string {
  if (isDnsLabel(text)) return text;
  const digits = digestOf(text).slice(0, 6);
  const words = text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()
    .replaceAll(' ', '-')
    .replace(/^[^a-z]+/, '');
  return [...[words.slice(0, maxLabelLength - digits.length - 1).replace(/-$/, '') || 'chat-load'], digits].join('-');
}
