import { isObject } from '../base/is-object.ts';
import type { Random } from '../base/random.ts';
import type { MessageFunction } from '../scenario/scenario.ts';
import { makeMessage } from '../trace/make-message.ts';

/** Messages of the length that a trace has recorded, for one without texts. */
const madeMessages: MessageFunction = ({ turn, random }) => makeMessage(turn.inputTokens, random);

/** Length of prompts: from `min` to `max` words, or tokens as a tokenizer counts them. */
export interface PromptLength {
  min: number;
  max: number;
  /** `words`, or the name of the tokenizer. */
  counted: string;
}

const lengths = new WeakMap<object, PromptLength>();

/** Prompts of a length, made from the seed by a function of the length and the draws of the turn. */
export function makePrompts(length: PromptLength, make: (units: number, random: Random) => string): MessageFunction {
  const { min, max } = length;
  const prompts: MessageFunction = ({ random }) => make(min + Math.floor(random() * (max - min + 1)), random);
  lengths.set(prompts, length);
  return prompts;
}

/** Returns the length of messages that are such prompts. */
export function promptLength(messages: unknown): PromptLength | undefined {
  return typeof messages === 'function' ? lengths.get(messages) : undefined;
}

/** A scenario with such messages where it replays a trace and says none itself. */
export function withMessages(scenario: Record<string, unknown>): Record<string, unknown> {
  const { load, messages } = scenario;
  const replays = isObject(load) && load['trace'] !== undefined;
  return replays && messages === undefined ? { ...scenario, messages: madeMessages } : scenario;
}

export function isMade(messages: unknown): boolean {
  return messages === madeMessages;
}
