import type { Conversation, Role } from '../conversation.ts';
import type { RawConversation } from './format.ts';

/** What was put right in a conversation. */
export const repairs = ['emptyMessages', 'leadingReplies', 'misplaced', 'joinedMessages', 'loneSurrogates'] as const;
export type Repair = (typeof repairs)[number];

/** How many messages each repair concerned. */
export type Repairs = Readonly<Partial<Record<Repair, number>>>;

/**
 * A conversation in order, as `readConversation` takes it: empty messages are left out, and so is what comes before the
 * first message of the user (but for the system's), what a tool says before the assistant has, and what the system says
 * later on; messages of one role that follow each other are one. `undefined`: the user says nothing.
 */
export function settleConversation(raw: RawConversation): { conversation: Conversation; repairs: Repairs } | undefined {
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

/** Half of a pair of surrogates is no character: it cannot be sent. */
const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd');

const numberOf = <Each>(all: readonly Each[], isCounted: (each: Each) => boolean): number =>
  all.filter(isCounted).length;

/** The system speaks first, and a tool behind a reply: one that only called a tool is not there any more. */
function inPlace<Each extends { role: Role }>(messages: readonly Each[]): Each[] {
  const opened = messages.findIndex(({ role }) => role !== 'system');
  const replied = messages.findIndex(({ role }) => role === 'assistant');
  return messages.filter(({ role }, index) => {
    if (role === 'system') return index < opened;
    return role !== 'tool' || (replied !== -1 && index > replied);
  });
}

interface Message {
  role: Role;
  content: string;
}

/** As an API joins them: with an empty line between. */
function join(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (const { role, content } of messages) {
    const last = joined.at(-1);
    if (last?.role === role) last.content += `\n\n${content}`;
    else joined.push({ role, content });
  }
  return joined;
}

/** How many turns a conversation has: messages of the user. */
export function turnsOf({ messages }: Conversation): number {
  return messages.filter(({ role }) => role === 'user').length;
}

/**
 * The code of a language (ISO 639) as a file states it: a code (`en`, `en-US`) or an English name (`English`).
 * `undefined` for what is neither.
 */
export function languageOf(stated: string | undefined): string | undefined {
  if (stated === undefined) return undefined;
  const word = stated.trim().toLowerCase();
  const named = codesByName().get(word);
  if (named !== undefined) return named;
  const [code = ''] = word.split(/[-_]/);
  return knownCodes().has(code) ? code : undefined;
}

let codes: ReadonlySet<string> | undefined;

function knownCodes(): ReadonlySet<string> {
  codes ??= new Set(codesByName().values());
  return codes;
}

let known: ReadonlyMap<string, string> | undefined;

/** The two-letter codes by the English names of their languages, as the runtime knows them. */
function codesByName(): ReadonlyMap<string, string> {
  known ??= new Map(twoLetters().flatMap((code) => namesOf(code).map((name) => [name, code] as const)));
  return known;
}

const letters = Array.from('abcdefghijklmnopqrstuvwxyz');
const twoLetters = (): string[] => letters.flatMap((first) => letters.map((second) => first + second));

/** A code without a language has no name; some languages have several codes, of which the runtime keeps one. */
function namesOf(code: string): string[] {
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const isCanonical = Intl.getCanonicalLocales(code)[0] === code;
  const name = isCanonical ? names.of(code) : undefined;
  return name === undefined ? [] : [name.toLowerCase()];
}
