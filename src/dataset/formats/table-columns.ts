import { isObject, valueAt } from '../../base/is-object.ts';
import type { Fields } from './format.ts';

/** Roles of columns in a table of messages. */
export const columnRoles = ['conversation', 'role', 'content', 'user', 'assistant', 'language'] as const;

/**
 * Column mapping of a table: `content` is one message per row, by the user without a `role`; `user` and `assistant` are
 * a message and its reply in one row. Without `conversation`, each row is one.
 */
export type TableColumns = Readonly<Partial<Record<(typeof columnRoles)[number], string>>>;

const idNames = [
  'conversation_id',
  'session_id',
  'thread_id',
  'chat_id',
  'ticket_id',
  'case_id',
  'conversation',
  'session',
  'ticket',
  'id',
];
const roleNames = ['role', 'from', 'sender', 'author', 'speaker', 'direction', 'message_type'];
const textNames = ['content', 'text', 'value', 'message', 'body'];

/** Names of the columns of a message and its reply. */
const pairNames = [
  ['incoming', 'outgoing'],
  ['incoming_message', 'outgoing_message'],
  ['incoming_text', 'outgoing_text'],
  ['inbound', 'outbound'],
  ['inbound_message', 'outbound_message'],
  ['customer_message', 'agent_message'],
  ['customer', 'agent'],
  ['user', 'assistant'],
  ['question', 'answer'],
  ['prompt', 'response'],
  ['prompt', 'completion'],
  ['query', 'response'],
] as const;

export const messageNames: readonly string[] = [...idNames, ...roleNames, ...textNames, 'language'];
export const pairFields: readonly string[] = [...new Set([...idNames, ...pairNames.flat(), 'language'])];

/** Returns a name in the form of the known ones: `Ticket ID` is `ticket_id`. */
export function normalName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}

/** Returns the field of a record that has one of these names in any case, the first name first. */
function fieldNamed(record: Fields, names: readonly string[]): string | undefined {
  const exact = names.find((name) => Object.hasOwn(record, name));
  if (exact !== undefined) return exact;
  const fields = new Map(Object.keys(record).map((field) => [normalName(field), field]));
  const name = names.find((each) => fields.has(each));
  return name === undefined ? undefined : fields.get(name);
}

/** Finds the columns of a table with one message per row. */
export function messageColumns(record: Fields): TableColumns {
  return withNames(record, { role: roleNames, content: textNames });
}

/** Finds the columns of a table with a message and its reply per row; `undefined` if there is no such pair. */
export function pairColumns(record: Fields): TableColumns | undefined {
  for (const [asked, answered] of pairNames) {
    const [user, assistant] = [fieldNamed(record, [asked]), fieldNamed(record, [answered])];
    if (user !== undefined && assistant !== undefined) return { ...withNames(record, {}), user, assistant };
  }
  return undefined;
}

function withNames(record: Fields, more: Readonly<Record<string, readonly string[]>>): TableColumns {
  const names = { conversation: idNames, language: ['language'], ...more };
  const found = Object.entries(names).map(([role, known]) => [role, fieldNamed(record, known)] as const);
  return Object.fromEntries(found.filter(([, name]) => name !== undefined));
}

/** Returns the value of a column, by its name in any case, or by its dotted path in JSON. */
export function columnIn(record: Fields, name: string | undefined): unknown {
  if (name === undefined) return undefined;
  if (Object.hasOwn(record, name)) return record[name];
  const field = fieldNamed(record, [normalName(name)]);
  return field === undefined ? valueAt(record, name.split('.')) : record[field];
}

/** Returns a column that no record has; `undefined` if all of them exist. */
export function missingColumn(values: readonly unknown[], columns: TableColumns): string | undefined {
  const records = values.filter(isObject);
  return Object.values(columns).find((name) => records.every((record) => columnIn(record, name) === undefined));
}

/** Returns the names of the fields of records, in their order. */
export function fieldsOf(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.filter(isObject).flatMap((record) => Object.keys(record)))];
}
