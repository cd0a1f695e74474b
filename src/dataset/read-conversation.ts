import { nameOrLength } from '../base/excerpt.ts';
import { isObject } from '../base/is-object.ts';
import type { Conversation, Role } from './conversation.ts';

type Message = Conversation['messages'][number];

/**
 * Reads one conversation from JSON, or says in words why it is none. Roles are in order when instructions come first,
 * and nothing of a tool before the agent has said something. Content may be text parts, and empty where the agent or a
 * tool says it.
 */
export function readConversation(value: unknown): Conversation | string {
  if (!isObject(value)) return 'it is no JSON object';
  const { messages, id, language } = value;
  if (!Array.isArray(messages)) return "it has no 'messages'";
  if (messages.length === 0) return 'it has no messages';
  const read: Message[] = [];
  for (const message of messages) {
    const one = readMessage(message);
    const problem = typeof one === 'string' ? one : misplaced(one.role, read);
    if (typeof one === 'string' || problem !== undefined)
      return `message ${String(read.length + 1)} ${String(problem)}`;
    read.push(one);
  }
  if (read.every(({ role }) => role !== 'user')) return 'the user says nothing in it';
  return {
    ...(typeof id === 'string' || typeof id === 'number' ? { id: String(id) } : {}),
    ...(typeof language === 'string' ? { language } : {}),
    messages: read,
  };
}

/** Some files have the newer and the older name of a role. */
const roleNames: ReadonlyMap<unknown, Role> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

function readMessage(message: unknown): Message | string {
  if (!isObject(message)) return 'is no object';
  const role = roleNames.get(message['role']);
  if (role === undefined) return wordRole(message['role']);
  const content = textIn(message['content']);
  if (content === undefined)
    return role === 'assistant' && !hasContent(message) ? { role, content: '' } : 'has content that is no text';
  return !visible.test(content) && (role === 'user' || role === 'system') ? 'is empty' : { role, content };
}

/** By bytes: the same whether the text was decoded or not. */
const visible = /[^ \t\r\n]/;

/** An agent that calls a tool may say nothing beside it. */
const hasContent = ({ content }: Readonly<Record<string, unknown>>): boolean =>
  content !== null && content !== undefined;

/** A text, or parts that are all text. */
function textIn(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part) => (isObject(part) && part['type'] === 'text' ? part['text'] : undefined));
  return texts.every((text) => typeof text === 'string') ? texts.join('') : undefined;
}

const wordRole = (role: unknown): string =>
  typeof role === 'string' ? `has the unknown role '${nameOrLength(role, 40)}'` : 'has no role';

function misplaced(role: Role, before: readonly Message[]): string | undefined {
  const isOpened = before.some((message) => message.role !== 'system');
  if (role === 'system' && isOpened) return 'is of the system, and does not come first';
  if (role === 'tool' && before.every((message) => message.role !== 'assistant'))
    return 'is of a tool, before the assistant has said anything';
  return undefined;
}
