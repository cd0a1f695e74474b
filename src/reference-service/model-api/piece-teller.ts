import type { MadeReply } from './make-reply.ts';
import type { PlacedFault } from './place-fault.ts';
import type { Telling } from './model-api.ts';

/** The events of one piece: those that have to come before it, and those with content. */
interface ToldPiece {
  before: readonly string[];
  contents: readonly string[];
}

/** Words the pieces of one reply, and spoils them: twice, the other way round, or not at all. Numbers are given before that. */
export class PieceTeller {
  readonly #telling: Telling;
  readonly #made: MadeReply;
  readonly #fault: PlacedFault | undefined;
  /** The piece that was overtaken. */
  #overtaken: string | undefined;

  constructor(telling: Telling, made: MadeReply, fault: PlacedFault | undefined) {
    this.#telling = telling;
    this.#made = made;
    this.#fault = fault;
  }

  /** Every piece once, in order. */
  tell(index: number): ToldPiece {
    const before = index === this.#made.reasoning.length ? this.#telling.turning() : [];
    return { before, contents: this.#contents(index) };
  }

  #contents(index: number): string[] {
    const overtaken = this.#overtaken;
    if (overtaken !== undefined) {
      this.#overtaken = undefined;
      return [overtaken];
    }
    const event = this.#event(index);
    if (this.#fault?.at !== index) return [event];
    switch (this.#fault.does) {
      case 'duplicate':
        return [event, event];
      case 'drop':
        return [];
      case 'swap':
        this.#overtaken = event;
        return [this.#event(index + 1)];
      default:
        return [event];
    }
  }

  #event(index: number): string {
    const { reasoning, pieces } = this.#made;
    const thought = reasoning[index];
    return thought === undefined
      ? this.#telling.answer(pieces[index - reasoning.length] ?? '')
      : this.#telling.reasoning(thought);
  }
}
