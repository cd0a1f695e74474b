import { memberOf, type StreamEvent } from '../model-api/stream-event.ts';

/** What a chunk adds to the answer; '' for nothing. */
export function textIn({ fields }: StreamEvent): string {
  const content = memberOf(fields, 'choices', 0, 'delta', 'content');
  return typeof content === 'string' ? content : '';
}

/** Every finish_reason of the first choice, in order. */
export function finishesOf(events: readonly StreamEvent[]): unknown[] {
  return events.map(finishIn).filter((finish) => finish !== undefined && finish !== null);
}

export function finishIn({ fields }: StreamEvent): unknown {
  return memberOf(fields, 'choices', 0, 'finish_reason');
}
