import type { Problem } from './problem.ts';

/** One reply in pieces, as its API words it: each text is one event. Called in the order in which events are sent. */
export interface Telling {
  /** Before anything is generated. */
  opening(): string[];
  /** A piece of reasoning. */
  reasoning(piece: string): string;
  /** Ends the reasoning, if there is any, and begins the answer. */
  turning(): string[];
  /** A piece of the answer, or of the arguments of a call. */
  answer(piece: string): string;
  /** The end of the answer and of the reply. */
  closing(): string[];
  /** An error in place of all the rest. */
  failing(problem: Problem): string[];
}

/** An event that has a type. */
export function typedEvent(type: string, data: string): string {
  return `event: ${type}\ndata: ${data}\n\n`;
}
