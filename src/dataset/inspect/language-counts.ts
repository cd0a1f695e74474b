import type { Conversation } from '../conversation.ts';
import type { DatasetDocument } from './dataset-document.ts';
import { scriptOf, type Script } from './script-of.ts';

/** Counts languages as they are stated, and scripts as they are seen. */
export class LanguageCounts {
  #unstated = 0;
  readonly #stated = new Map<string, number>();
  readonly #scripts = new Map<Script, number>();

  add({ language, messages }: Conversation): void {
    if (language === undefined) this.#unstated++;
    else this.#stated.set(language, (this.#stated.get(language) ?? 0) + 1);
    const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    const script = scriptOf(said.join(' '));
    this.#scripts.set(script, (this.#scripts.get(script) ?? 0) + 1);
  }

  summary(): DatasetDocument['languages'] {
    return {
      stated: byCount(this.#stated).map(([language, conversations]) => ({ language, conversations })),
      unstated: this.#unstated,
      scripts: Object.fromEntries(byCount(this.#scripts)),
    };
  }
}

const byCount = <Name extends string>(counts: ReadonlyMap<Name, number>): [Name, number][] =>
  [...counts].toSorted(([a, more], [b, count]) => count - more || (a < b ? -1 : 1));
