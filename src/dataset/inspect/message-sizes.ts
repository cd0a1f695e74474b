import type { DatasetDocument } from './dataset-document.ts';
import { Values } from './distribution.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** How long the messages of one role are. */
export class MessageSizes {
  #count = 0;
  readonly #characters = new Values();
  readonly #tokens = new Values();

  add(text: string): void {
    this.#count++;
    this.#characters.add(text.length);
    this.#tokens.add(estimateTokens(text));
  }

  summary(): DatasetDocument['user'] {
    return {
      count: this.#count,
      characters: this.#characters.summary(),
      estimatedTokens: this.#tokens.summary(),
    };
  }
}
