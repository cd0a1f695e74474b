import type { Conversation } from '../conversation.ts';
import { findPersonal } from '../redact/find-personal.ts';
import { mask } from '../redact/mask.ts';
import { personalKinds, type PersonalKind } from '../redact/personal.ts';
import type { DatasetDocument } from './dataset-document.ts';

type Counted = DatasetDocument['personal'][number];

const mostExamples = 5;

/** Counts what looks personal, and keeps the shapes of the first few. */
export class PersonalCounts {
  readonly #counted = new Map<PersonalKind, Counted>();

  add({ messages }: Conversation, where: string): void {
    const kinds = new Set<PersonalKind>();
    for (const { content } of messages)
      for (const { kind, start, end } of findPersonal(content)) {
        const counted = this.#countedOf(kind);
        counted.count++;
        if (!kinds.has(kind)) counted.conversations++;
        kinds.add(kind);
        if (counted.examples.length < mostExamples)
          counted.examples.push({ where, detail: mask(content.slice(start, end)) });
      }
  }

  summary(): Counted[] {
    return personalKinds.flatMap((kind) => this.#counted.get(kind) ?? []);
  }

  #countedOf(kind: PersonalKind): Counted {
    const counted = this.#counted.get(kind) ?? { kind, count: 0, conversations: 0, examples: [] };
    this.#counted.set(kind, counted);
    return counted;
  }
}
