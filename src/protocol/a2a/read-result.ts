import { isObject } from '../../base/is-object.ts';
import type { Fields } from '../model-api/read-reply.ts';
import type { Notes } from '../notes.ts';

const kinds = ['task', 'message', 'statusUpdate', 'artifactUpdate'] as const;

/** A result of the API, by its kind. */
export interface Result {
  readonly kind: (typeof kinds)[number];
  readonly fields: Fields;
}

/** Returns the result of a response; `undefined` if it is none. Notes an envelope that is not the one of a response to the request. */
export function resultIn({ jsonrpc, id, result }: Fields, notes: Notes): Result | undefined {
  if (!isObject(result)) return undefined;
  if (jsonrpc !== '2.0' || id !== 1) notes.add('rpc_envelope', `jsonrpc: ${String(jsonrpc)}, id: ${String(id)}`);
  const kind = kinds.find((name) => isObject(result[name]));
  const fields = kind === undefined ? undefined : result[kind];
  return kind !== undefined && isObject(fields) ? { kind, fields } : oldResult(result, notes);
}

/** Returns a result without a wrapper, as versions before 1.0 have it, or with a wrapper in snake case. */
function oldResult(result: Fields, notes: Notes): Result | undefined {
  const { status_update: status, artifact_update: artifact } = result;
  const found: Result | undefined = isObject(status)
    ? { kind: 'statusUpdate', fields: status }
    : isObject(artifact)
      ? { kind: 'artifactUpdate', fields: artifact }
      : unwrapped(result);
  if (found !== undefined) notes.add('old_form', 'a result without its name');
  return found;
}

function unwrapped(fields: Fields): Result | undefined {
  const { id, kind, status, artifact, parts, content } = fields;
  if (isObject(artifact)) return { kind: 'artifactUpdate', fields };
  if (isObject(status)) return { kind: kind === 'task' || id !== undefined ? 'task' : 'statusUpdate', fields };
  return kind === 'message' || (parts ?? content) !== undefined ? { kind: 'message', fields } : undefined;
}

/** Returns an id, under its name or that name in snake case. */
export function idIn(fields: Fields, name: 'contextId' | 'taskId' | 'messageId' | 'artifactId'): unknown {
  return fields[name] ?? fields[name.replace('Id', '_id')];
}

/** Returns a state by its name in version 1.0; earlier versions have names such as `input-required`. */
export function stateIn({ state }: Fields, notes: Notes): unknown {
  if (typeof state !== 'string' || state.startsWith(prefix)) return state;
  notes.add('old_form', `the state ${state}`);
  const name = state.slice(0, 40).toUpperCase().replaceAll('-', '_');
  return prefix + (name === 'CANCELLED' ? 'CANCELED' : name);
}

const prefix = 'TASK_STATE_';

/** Returns the text of a message or an artifact: its text parts. */
export function textIn({ parts, content = [] }: Fields, notes: Notes): string {
  if (!Array.isArray(parts)) notes.add('old_form', 'parts that are not a list');
  const given: unknown = parts ?? content;
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  return list.map((part) => textOf(part, notes)).join('');
}

/** Returns the text of a part; '' for data and files. */
function textOf(part: unknown, notes: Notes): string {
  if (isObject(part) && part['kind'] === undefined && part['type'] === undefined && typeof part['text'] === 'string')
    return part['text'];
  const text = oldText(part);
  if (text !== '') notes.add('old_form', 'a part in another form');
  return text;
}

/** Returns the text of a part in the form of an earlier version, or of the class of a library. */
function oldText(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isObject(part)) return '';
  const { root, text, content, part: inner } = part;
  if (typeof text === 'string') return text;
  const held = [content, inner].find((each) => isObject(each) && each['$case'] === 'text');
  return isObject(held) && typeof held['value'] === 'string' ? held['value'] : isObject(root) ? oldText(root) : '';
}
