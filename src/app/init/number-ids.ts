import { jsonsOf, valueIn, type JsonPath } from './find-places.ts';
import type { SeenReply } from './given-api.ts';

/**
 * Reports whether the service knows the id of a session as a number. `given`: the id in the body of the command. `seen`:
 * that of a reply; `undefined`: none was seen.
 */
export function isNumberId(given: unknown, seen: unknown): boolean {
  if (typeof given === 'number') return typeof seen !== 'string' || /^-?\d+$/.test(seen);
  // A command that sends digits or a variable in quotes shows that the service receives a text.
  const isText = typeof given === 'string' && /^(?:\d+$|\$)/.test(given);
  return typeof seen === 'number' && !isText;
}

/** Returns the first value at a path of a reply, or of the events of a stream. */
export function valueOfReply(reply: SeenReply | undefined, path: JsonPath | undefined): unknown {
  return jsonsOf(reply)
    .map((json) => valueIn(json, path))
    .find((value) => value !== undefined);
}

/** Returns code that sends the id of the session, or other code as long as no reply has shown it. */
export function sessionCode(isNumber: boolean, before?: string): string {
  if (!isNumber) return ['sessionId', ...(before === undefined ? [] : [before])].join(' || ');
  return before === undefined ? 'Number(sessionId)' : `sessionId === '' ? ${before} : Number(sessionId)`;
}
