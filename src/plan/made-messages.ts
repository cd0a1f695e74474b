import { isObject } from '../base/is-object.ts';
import type { MessageFunction } from '../scenario/scenario.ts';
import { makeMessage } from '../trace/make-message.ts';

/** Messages of the length that a trace has recorded, for one without texts. */
const madeMessages: MessageFunction = ({ turn, random }) => makeMessage(turn.inputTokens, random);

/** A scenario with such messages where it replays a trace and says none itself. */
export function withMessages(scenario: Record<string, unknown>): Record<string, unknown> {
  const { load, messages } = scenario;
  const replays = isObject(load) && load['trace'] !== undefined;
  return replays && messages === undefined ? { ...scenario, messages: madeMessages } : scenario;
}

export function isMade(messages: unknown): boolean {
  return messages === madeMessages;
}
