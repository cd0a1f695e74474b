import type { Conversation } from './conversation.ts';
import { readConversation } from './read-conversation.ts';

/** Where the columns of a table of messages are, from 0; `null`: there is none. */
export interface CsvColumns {
  /** Rows that have the same here, one after another, are a conversation; without it each row is one. */
  conversation: number | null;
  /** Without it, the user says every row. */
  role: number | null;
  content: number;
  count: number;
}

const names = {
  conversation: ['conversation_id', 'conversation', 'session_id', 'id'],
  role: ['role'],
  content: ['content', 'message', 'text'],
} as const;

/** Finds the columns by their names, or says in words what is missing. */
export function findColumns(header: readonly string[]): CsvColumns | string {
  const known = header.map((name) => name.trim().toLowerCase());
  const find = (column: keyof typeof names): number | null => {
    const name = names[column].find((each) => known.includes(each));
    return name === undefined ? null : known.indexOf(name);
  };
  const [conversation, role, content] = [find('conversation'), find('role'), find('content')];
  const twice = [conversation, role, content].find(
    (column) => column !== null && known.lastIndexOf(known[column] ?? '') !== column,
  );
  if (twice !== undefined && twice !== null) return `it has two columns '${known[twice] ?? ''}'`;
  if (content === null) return `it has no column ${names.content.join(', ')}`;
  if (role !== null && conversation === null)
    return `it has a column role, and none that says of which conversation a row is: ${names.conversation.join(', ')}`;
  return { conversation, role, content, count: header.length };
}

/** The conversation of rows that belong together, or what is wrong with it, in words. */
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
