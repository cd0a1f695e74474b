import type { Fields } from '../answer.ts';
import { memberOf, type StreamEvent } from '../model-api/stream-event.ts';

/** What an event adds to the answer; '' for nothing. */
export function textIn({ kind, fields }: StreamEvent): string {
  const delta = kind === 'response.output_text.delta' ? fields?.['delta'] : '';
  return typeof delta === 'string' ? delta : '';
}

const ends = ['response.completed', 'response.incomplete', 'response.failed'];

export function isEnd({ kind }: StreamEvent): boolean {
  return ends.includes(kind);
}

/** The event with the response as it is at the end. */
export function endOf(events: readonly StreamEvent[]): Fields | undefined {
  return events.findLast(isEnd)?.fields;
}

/** The id of the response, in events that have it. */
export function responseIdIn({ fields }: StreamEvent): unknown {
  return memberOf(fields, 'response', 'id');
}
