import { nameOrLength } from '../base/excerpt.ts';
import { isObject } from '../base/is-object.ts';
import type { Conversation, Role } from './conversation.ts';

type Message = Conversation['messages'][number];

/**
 * Reads a conversation from JSON, or returns a description of its problem. System messages must precede all others, and tool
 * messages follow an assistant message. Content may be text parts, and empty for the assistant and tools.
 */
export function readConversation(value: unknown): Conversation | string {
  if (!isObject(value)) return 'it is not a JSON object';
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
  if (read.every(({ role }) => role !== 'user')) return 'it has no user message';
  return {
    ...(typeof id === 'string' || typeof id === 'number' ? { id: String(id) } : {}),
    ...(typeof language === 'string' ? { language } : {}),
    messages: read,
  };
}

/** Some files use the newer and some the older name of a role. */
const roleNames: ReadonlyMap<unknown, Role> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

function readMessage(message: unknown): Message | string {
  if (!isObject(message)) return 'is not an object';
  const { role: name } = message;
  const role = roleNames.get(name);
  if (role === undefined)
    return typeof name === 'string' ? `has the unknown role '${nameOrLength(name, 40)}'` : 'has no role';
  const content = textIn(message['content']);
  if (content === undefined) {
    // An assistant message with a tool call may have no content.
    const isEmpty = message['content'] === null || message['content'] === undefined;
    return role === 'assistant' && isEmpty ? { role, content: '' } : 'has content that is not text';
  }
  return !visible.test(content) && (role === 'user' || role === 'system') ? 'is empty' : { role, content };
}

/** Matches bytes, so that decoded and undecoded text have the same result. */
const visible = /[^ \t\r\n]/;

/** Returns a text, or the joined text of parts if all of them are text. */
function textIn(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part) => (isObject(part) && part['type'] === 'text' ? part['text'] : undefined));
  return texts.every((text) => typeof text === 'string') ? texts.join('') : undefined;
}

function misplaced(role: Role, before: readonly Message[]): string | undefined {
  if (role === 'system' && before.some((message) => message.role !== 'system'))
    return 'is a system message after other messages';
  if (role === 'tool' && before.every((message) => message.role !== 'assistant'))
    return 'is a tool message before the first assistant message';
  return undefined;
}
