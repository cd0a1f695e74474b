import type { Conversation } from '../conversation.ts';
import { rules, type Found, type PersonalKind, type PersonalRule } from './personal-rules.ts';

/** Replaces personal data by placeholders: in a conversation, equal values have the same one (`<mail-1>`), so that it stays coherent. */
export function redactConversation(conversation: Conversation): {
  conversation: Conversation;
  /** Number of replacements. */
  counts: ReadonlyMap<PersonalKind, number>;
} {
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
    return replaceFound(text, findPersonal(text), ({ kind, value }) => {
      this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
      return this.#nameOf(kind, value);
    });
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

/** Length of the preceding text that rules receive. */
const nearby = 40;

/** Finds personal data in a text, in order. Not a guarantee: names and postal addresses are not found. */
export function findPersonal(text: string): Found[] {
  let found: Found[] = [];
  let left = text;
  for (const rule of rules) {
    const matches = rule.needs.test(left) ? matchesOf(rule, left) : [];
    if (matches.length === 0) continue;
    left = replaceFound(left, matches, ({ start, end }) => '\0'.repeat(end - start));
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

function replaceFound(text: string, found: readonly Found[], replacementOf: (each: Found) => string): string {
  let at = 0;
  const parts = found.map((each) => {
    const before = text.slice(at, each.start);
    at = each.end;
    return before + replacementOf(each);
  });
  return parts.join('') + text.slice(at);
}
