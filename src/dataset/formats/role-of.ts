import { nameOrLength } from '../../base/excerpt.ts';
import type { Role } from '../conversation.ts';
import { Unreadable } from './format.ts';

/** Who speaks, by the names that published sets have for them. */
const names: ReadonlyMap<string, Role> = new Map([
  ['user', 'user'],
  ['human', 'user'],
  ['customer', 'user'],
  ['prompter', 'user'],
  ['assistant', 'assistant'],
  ['gpt', 'assistant'],
  ['chatgpt', 'assistant'],
  ['bing', 'assistant'],
  ['bard', 'assistant'],
  ['bot', 'assistant'],
  ['model', 'assistant'],
  ['agent', 'assistant'],
  ['function_call', 'assistant'],
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'tool'],
  ['function', 'tool'],
  ['observation', 'tool'],
] as const);

/** The role of a name, in any case. Throws `Unreadable` for one that nobody knows. */
export function roleOf(name: unknown): Role {
  const role = typeof name === 'string' ? names.get(name.trim().toLowerCase()) : undefined;
  if (role !== undefined) return role;
  throw new Unreadable('unknownRole', `a message of the role ${shown(name)}`);
}

/** Whether this is the name of a role. */
export function isRoleName(name: unknown): boolean {
  return typeof name === 'string' && names.has(name.trim().toLowerCase());
}

const longestShown = 40;
const shown = (name: unknown): string =>
  typeof name === 'string' ? `'${nameOrLength(name, longestShown)}'` : `that is no text (${typeof name})`;
