import { isObject } from '../../base/is-object.ts';
import type { Fields } from '../answer.ts';
import { memberOf, type StreamEvent } from '../model-api/stream-event.ts';

/** What an event adds to the answer; '' for nothing. */
export function textIn({ kind, fields }: StreamEvent): string {
  const text = kind === 'content_block_delta' ? memberOf(fields, 'delta', 'text') : '';
  return typeof text === 'string' ? text : '';
}

/** The events that say how the message ended. */
export function outcomesOf(events: readonly StreamEvent[]): (Fields | undefined)[] {
  return events.filter(({ kind }) => kind === 'message_delta').map(({ fields }) => fields);
}

/** The tokens of the request come first, those of the reply at the end; counts replace earlier ones. */
export function usageIn(events: readonly StreamEvent[]): Fields {
  const begun = memberOf(events.find(({ kind }) => kind === 'message_start')?.fields, 'message', 'usage');
  const ended = outcomesOf(events).map((outcome) => outcome?.['usage']);
  // The tokens of the reply that the beginning tells are not those of the whole of it.
  const input = isObject(begun) ? { ...begun, output_tokens: undefined } : {};
  return Object.assign(input, ...ended.filter(isObject)) as Fields;
}
