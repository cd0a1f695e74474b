import type { Conversation } from '../conversation.ts';
import {
  type PersonalKind,
  cardRule,
  ibanRule,
  ipRule,
  keyRule,
  mailRule,
  phoneRule,
  type Found,
  type PersonalRule,
} from './personal-rules.ts';

export interface Redacted {
  conversation: Conversation;
  /** How many places were replaced. */
  counts: ReadonlyMap<PersonalKind, number>;
}

/**
 * Replaces what looks personal by placeholders: within a conversation the same thing always has the same one (`<mail-1>`),
 * so that the conversation still hangs together.
 */
export function redactConversation(conversation: Conversation): Redacted {
  const placeholders = new Placeholders();
  const { id, messages } = conversation;
  const redacted = {
    ...conversation,
    messages: messages.map(({ role, content }) => ({ role, content: placeholders.redact(content) })),
    ...(id === undefined ? {} : { id: placeholders.redact(id) }),
  };
  return { conversation: redacted, counts: placeholders.counts };
}

class Placeholders {
  readonly counts = new Map<PersonalKind, number>();
  readonly #names = new Map<string, string>();
  readonly #numbers = new Map<PersonalKind, number>();

  redact(text: string): string {
    const found = findPersonal(text);
    if (found.length === 0) return text;
    let at = 0;
    const parts = found.map(({ kind, start, end, value }) => {
      const before = text.slice(at, start);
      at = end;
      this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
      return before + this.#nameOf(kind, value);
    });
    return parts.join('') + text.slice(at);
  }

  #nameOf(kind: PersonalKind, value: string): string {
    const key = `${kind} ${value}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const number = (this.#numbers.get(kind) ?? 0) + 1;
    const name = `<${kind}-${String(number)}>`;
    this.#numbers.set(kind, number);
    this.#names.set(key, name);
    return name;
  }
}

/** What is found by an earlier rule is not searched by a later one: a card is no phone number. */
const rules: readonly PersonalRule[] = [keyRule, mailRule, ibanRule, cardRule, ipRule, phoneRule];

/** How much of the text before a match is looked at. */
const nearby = 40;

/** What looks personal in a text, in its order. It is no guarantee: names and addresses are not found at all. */
export function findPersonal(text: string): Found[] {
  let found: Found[] = [];
  let left = text;
  for (const rule of rules) {
    const matches = rule.needs.test(left) ? matchesOf(rule, left) : [];
    if (matches.length === 0) continue;
    left = without(left, matches);
    found = found.concat(matches);
  }
  return found.sort((a, b) => a.start - b.start);
}

function matchesOf({ kind, expression, valueOf }: PersonalRule, text: string): Found[] {
  return [...text.matchAll(expression)].flatMap(({ 0: match, index }) => {
    const value = valueOf(match, text.slice(Math.max(0, index - nearby), index));
    return value === undefined ? [] : [{ kind, start: index, end: index + match.length, value }];
  });
}

/** The text with what was found blotted out, at its length. */
function without(text: string, found: readonly Found[]): string {
  let at = 0;
  const parts = found.map(({ start, end }) => {
    const before = text.slice(at, start);
    at = end;
    return before + '\0'.repeat(end - start);
  });
  return parts.join('') + text.slice(at);
}
