import { z } from 'zod';
import { nameOrLength } from '../base/excerpt.ts';
import { listFirst } from '../base/format.ts';
import { printable } from '../base/printable.ts';
import type { Conversation } from './conversation.ts';
import { readConversation } from './read-conversation.ts';

/** Columns of a table of messages, from 0, and their number; `null` for missing ones. */
export const csvColumnsSchema = z.object({
  /** Consecutive rows with the same value are a conversation; without this column each row is one. */
  conversation: z.int().nullable(),
  /** Without this column, every row is a user message. */
  role: z.int().nullable(),
  content: z.int(),
  count: z.int(),
});
type CsvColumns = z.infer<typeof csvColumnsSchema>;

const names = {
  conversation: ['conversation_id', 'conversation', 'session_id', 'id'],
  role: ['role'],
  content: ['content', 'message', 'text'],
} as const;

const maxListed = 30;
const printableName = (name: string): string => printable(nameOrLength(name.trim(), 40));

/** Finds the columns by their names, or returns a description of the problem. */
export function findColumns(header: readonly string[]): CsvColumns | string {
  const known = header.map((name) => name.trim().toLowerCase());
  const find = (column: keyof typeof names): number | null => {
    const name = names[column].find((each) => known.includes(each));
    return name === undefined ? null : known.indexOf(name);
  };
  const [conversation, role, content] = [find('conversation'), find('role'), find('content')];
  for (const column of [conversation, role, content]) {
    const name = column === null ? undefined : known[column];
    if (name !== undefined && known.lastIndexOf(name) !== column) return `it has two columns '${name}'`;
  }
  if (content === null)
    return `it has no column ${names.content.join(', ')}: its columns are ${listFirst(header.map(printableName), maxListed)}`;
  if (role !== null && conversation === null)
    return `it has a column role, but no column that identifies the conversation of a row: ${names.conversation.join(', ')}`;
  return { conversation, role, content, count: header.length };
}

/** Returns the conversation of its rows, or a description of the problem. */
export function conversationOfRows(rows: readonly (readonly string[])[], columns: CsvColumns): Conversation | string {
  const { conversation, role, content, count } = columns;
  const odd = rows.find((row) => row.length !== count);
  if (odd !== undefined) return `a row has ${String(odd.length)} columns, and the first line ${String(count)}`;
  const id = conversation === null ? undefined : rows[0]?.[conversation];
  const messages = rows.map((row) => ({
    role: role === null ? 'user' : row[role]?.trim().toLowerCase(),
    content: row[content],
  }));
  return readConversation({ id, messages });
}
