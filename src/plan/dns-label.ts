import { digestOf } from './digest.ts';

/** Names of pods and services end in suffixes, and have at most 63 characters. */
export const longestLabel = 40;

/** Whether a text is a DNS-1123 label that begins with a letter and leaves room for suffixes. */
export function isDnsLabel(text: string): boolean {
  return text.length <= longestLabel && /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(text);
}

/** A text as such a label; one that had to be changed ends in a few digits of its hash, so that two never become one. */
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
  return [...[words.slice(0, longestLabel - digits.length - 1).replace(/-$/, '') || 'chat-load'], digits].join('-');
}
