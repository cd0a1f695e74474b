import type { Conversation, Role } from '../conversation.ts';
import type { RawConversation } from './format.ts';

export const repairs = ['emptyMessages', 'leadingReplies', 'misplaced', 'joinedMessages', 'loneSurrogates'] as const;
export type Repair = (typeof repairs)[number];

/** Number of messages of each repair. */
type Repairs = Readonly<Partial<Record<Repair, number>>>;

/**
 * Repairs a conversation so that `readConversation` accepts it. Omits empty messages, messages before the first user message
 * (except system messages), tool messages before the first assistant message, and later system messages; joins consecutive
 * messages of one role. `undefined`: there is no user message.
 */
export function repairConversation(raw: RawConversation): { conversation: Conversation; repairs: Repairs } | undefined {
  const texts = raw.messages.map(({ role, text }) => ({ role, content: wellFormed(text), text }));
  const spoken = texts.filter(({ content }) => content.trim() !== '');
  const first = spoken.findIndex(({ role }) => role === 'user');
  if (first === -1) return undefined;
  const begun = spoken.filter(({ role }, index) => index >= first || role === 'system');
  const placed = inPlace(begun);
  const messages = join(placed);
  const language = languageOf(raw.language);
  return {
    conversation: {
      ...(raw.id === undefined ? {} : { id: wellFormed(raw.id) }),
      ...(language === undefined ? {} : { language }),
      messages,
    },
    repairs: {
      emptyMessages: numberOf(texts, ({ role, content }) => role !== 'system' && content.trim() === ''),
      leadingReplies: spoken.length - begun.length,
      misplaced: begun.length - placed.length,
      joinedMessages: placed.length - messages.length,
      loneSurrogates: numberOf(texts, ({ content, text }) => content !== text),
    },
  };
}

/** Half of a surrogate pair is not a character and cannot be sent. */
const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd');

const numberOf = <Each>(all: readonly Each[], isCounted: (each: Each) => boolean): number =>
  all.filter(isCounted).length;

/** System messages precede all others, and tool messages follow a reply: a reply with only a tool call is omitted by now. */
function inPlace<Each extends { role: Role }>(messages: readonly Each[]): Each[] {
  const opened = messages.findIndex(({ role }) => role !== 'system');
  const replied = messages.findIndex(({ role }) => role === 'assistant');
  return messages.filter(({ role }, index) => {
    if (role === 'system') return index < opened;
    return role !== 'tool' || (replied !== -1 && index > replied);
  });
}

/** Joins messages with an empty line between them, as APIs do. */
function join(messages: Conversation['messages']): { role: Role; content: string }[] {
  const joined: { role: Role; content: string }[] = [];
  for (const { role, content } of messages) {
    const last = joined.at(-1);
    if (last?.role === role) last.content += `\n\n${content}`;
    else joined.push({ role, content });
  }
  return joined;
}

/** Returns the ISO 639 code for a stated language: a code (`en`, `en-US`) or an English name (`English`); otherwise `undefined`. */
export function languageOf(stated: string | undefined): string | undefined {
  if (stated === undefined) return undefined;
  const word = stated.trim().toLowerCase();
  languages ??= knownLanguages();
  const [code = ''] = word.split(/[-_]/);
  return languages.codes.get(word) ?? (languages.known.has(code) ? code : undefined);
}

let languages: ReturnType<typeof knownLanguages> | undefined;

/** Returns the two-letter codes known to the runtime, also by the English names of their languages. */
function knownLanguages() {
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz');
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const codes = new Map<string, string>();
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    // Some languages have several codes, one of which is canonical.
    const name = Intl.getCanonicalLocales(code)[0] === code ? names.of(code) : undefined;
    if (name !== undefined) codes.set(name.toLowerCase(), code);
  }
  return { codes, known: new Set(codes.values()) };
}
