import { nameOrLength } from '../base/excerpt.ts';
import { jsonObjectIn } from '../base/json.ts';
import type { Fields } from './answer.ts';
import type { ReceivedEvent } from './exchanges.ts';
import type { Observation } from './rule.ts';

/** One event of a streamed reply, parsed. */
export interface StreamEvent extends ReceivedEvent {
  /** The JSON object in its data, if any. */
  fields: Fields | undefined;
  /** `type` of its data, otherwise its `event` field; '' if both are missing. */
  kind: string;
}

/** Recognizes the event at the end of a reply. */
export type IsEnd = (event: StreamEvent) => boolean;

export function readEvent(event: ReceivedEvent): StreamEvent {
  const fields = jsonObjectIn(event.data);
  const type = fields?.['type'];
  return { ...event, fields, kind: typeof type === 'string' ? type : event.type };
}

/** Reports the terminator of a chat completion: the only event that is not JSON. */
export function isDone({ data }: Pick<ReceivedEvent, 'data'>): boolean {
  return data.trim() === '[DONE]';
}

/** Returns the observation of a fault, or of its absence. */
export function observeFault(fault: string | undefined, otherwise = 'in order'): Observation {
  return { conforms: fault === undefined, seen: fault ?? otherwise };
}

/** Observes whether a kind of event is sent once and first; `others` may precede it. */
export function observeFirst(events: readonly StreamEvent[], first: string, ...others: string[]): Observation {
  const times = events.filter(({ kind }) => kind === first).length;
  const conforms = times === 1 && events.find(({ kind }) => !others.includes(kind))?.kind === first;
  return { conforms, seen: times > 1 ? `${String(times)} times` : `${nameOf(events[0])} first` };
}

/** Observes whether the end is sent once and last. */
export function observeEnd(
  events: readonly StreamEvent[],
  isEnd: (event: StreamEvent) => boolean,
  otherwise = nameOf(events.at(-1)),
): Observation {
  const ends = events.filter(isEnd).length;
  const last = events.at(-1);
  if (ends === 0) return observeFault(`it was never sent; the last event is ${nameOf(last)}`);
  if (ends > 1) return observeFault(`it was sent ${String(ends)} times`);
  return observeFault(last !== undefined && isEnd(last) ? undefined : `${nameOf(last)} was sent after it`, otherwise);
}

export function nameOf(event: StreamEvent | undefined): string {
  if (event === undefined) return 'missing';
  return event.kind === '' ? `"${nameOrLength(event.data, 40)}"` : event.kind;
}
