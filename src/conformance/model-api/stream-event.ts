import { objectIn, type Fields } from '../answer.ts';
import type { CameEvent } from '../post.ts';

/** One event of a streamed reply, read. */
export interface StreamEvent extends CameEvent {
  /** The JSON object in its data; `undefined`: there is none. */
  fields: Fields | undefined;
  /** Its kind as its data has it, else as its `event` field does; '' for neither. */
  kind: string;
}

export function readEvent(event: CameEvent): StreamEvent {
  const fields = objectIn(event.data);
  const type = fields?.['type'];
  return { ...event, fields, kind: typeof type === 'string' ? type : event.type };
}

/** What follows the last chunk of a chat completion: the only event that is no JSON. */
export function isDone({ data }: Pick<CameEvent, 'data'>): boolean {
  return data.trim() === '[DONE]';
}

/** The member of an object, where there is one. */
export function memberOf(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Readonly<Record<string, unknown>>)[name] : undefined,
    value,
  );
}
