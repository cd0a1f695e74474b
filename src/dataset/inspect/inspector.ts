import { countUserTurns } from '../conversation.ts';
import { type Reading, SkipCounts } from '../formats/format.ts';
import { repairConversation, type Repair } from '../formats/repair-conversation.ts';
import type { DatasetDocument } from './dataset-document.ts';
import { Duplicates } from './duplicates.ts';
import { LanguageCounts, MessageSizes, PersonalCounts, Values } from './message-counts.ts';

/** Findings about conversations, regardless of their files. */
export type Findings = Omit<DatasetDocument, 'kind' | 'schemaVersion' | 'toolVersion' | 'files'>;

/** Inspects conversations one by one, in constant memory. */
export class Inspector {
  #conversations = 0;
  #scattered = 0;
  readonly #turns = new Values();
  readonly #user = new MessageSizes();
  readonly #assistant = new MessageSizes();
  readonly #languages = new LanguageCounts();
  readonly #duplicates = new Duplicates();
  readonly #personal = new PersonalCounts();
  readonly #skips = new SkipCounts();
  readonly #repairs = new Map<Repair, number>();

  /** Adds a reading; `where` names its record for people. */
  add(reading: Reading, where: string): void {
    if ('problem' in reading) {
      this.#skips.add(reading.problem, where, reading.detail);
      return;
    }
    if (reading.isScattered === true) this.#scattered++;
    const resolved = repairConversation(reading.conversation);
    if (resolved === undefined) {
      this.#skips.add('noUserMessage', where);
      return;
    }
    for (const [repair, count] of Object.entries(resolved.repairs) as [Repair, number][])
      if (count > 0) this.#repairs.set(repair, (this.#repairs.get(repair) ?? 0) + count);
    this.#conversations++;
    this.#turns.add(countUserTurns(resolved.conversation));
    for (const { role, content } of resolved.conversation.messages) {
      if (role === 'user') this.#user.add(content);
      if (role === 'assistant') this.#assistant.add(content);
    }
    this.#languages.add(resolved.conversation);
    this.#duplicates.add(resolved.conversation);
    this.#personal.add(resolved.conversation, where);
  }

  findings(): Findings {
    return {
      conversations: this.#conversations,
      scattered: this.#scattered,
      turns: this.#turns.summary(),
      user: this.#user.summary(),
      assistant: this.#assistant.summary(),
      languages: this.#languages.summary(),
      duplicates: this.#duplicates.summary(),
      personal: this.#personal.summary(),
      repaired: Object.fromEntries(this.#repairs),
      skipped: [...this.#skips.all()],
    };
  }
}
