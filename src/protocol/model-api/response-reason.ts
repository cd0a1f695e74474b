import { isObject } from '../../base/is-object.ts';
import type { ToolCall } from '../protocol.ts';

/** Returns the reason to end of a response of OpenAI: the stated one of an incomplete response, else its calls, else its status. */
export function reasonOf(status: unknown, details: unknown, calls: readonly ToolCall[]): unknown {
  if (status === 'incomplete') return (isObject(details) ? details['reason'] : undefined) ?? status;
  return calls.length > 0 ? 'tool_calls' : status;
}
