import type { Conversation } from '../conversation.ts';
import { findPersonal } from './find-personal.ts';
import type { PersonalKind } from './personal.ts';

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
