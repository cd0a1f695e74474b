import { isObject } from '../../base/is-object.ts';
import type { SeenEvent } from './given-api.ts';
import { Code, literal } from './literal.ts';

/** The part of a stream's events that distinguishes their kinds. */
export interface EventKinds {
  /** Field of the event's JSON; `undefined`: the type of a server-sent event. */
  readonly field: string | undefined;
  readonly of: (event: SeenEvent) => string | undefined;
}

const fields = ['event', 'type', 'kind', 'message_type'];

/** Returns the part that distinguishes the events of a stream; `undefined` if there is none. */
export function kindsOf(events: readonly SeenEvent[]): EventKinds | undefined {
  const jsons = events.filter(({ json }) => isObject(json));
  const all = fields.map((field): EventKinds => ({
    field,
    of: ({ json }) => (isObject(json) && typeof json[field] === 'string' ? json[field] : undefined),
  }));
  const byField = all.find(
    ({ of }) => jsons.length > 1 && jsons.every((event) => of(event) !== undefined) && isVaried(jsons.map(of)),
  );
  if (byField !== undefined) return byField;
  const typed = events.filter(({ data }) => data.trim() !== '[DONE]');
  const byType: EventKinds = { field: undefined, of: ({ type }) => (type === '' ? undefined : type) };
  return typed.length > 1 && isVaried(typed.map(byType.of)) ? byType : undefined;
}

/** Few kinds for many events: an id or a text is no kind. */
const isVaried = (kinds: readonly (string | undefined)[]): boolean => {
  const { size } = new Set(kinds);
  return size > 1 && size <= 20;
};

/** Reports whether events of a kind hold no part of the answer. */
export function isAside(kind: string): boolean {
  return /start|begin|end$|done|finish|error|ping|think|thought|reason|tool|source|meta|usage|status|progress|debug|log|step/i.test(
    kind,
  );
}

/** Reports whether the name of a kind suggests a part of the answer. */
export function isAnswer(kind: string): boolean {
  return /token|delta|message|chunk|text|content|answer|item|data|assistant|speak/i.test(kind) && !isAside(kind);
}

/** Returns the condition that an event is of one of the kinds. */
export function conditionOf({ field }: EventKinds, kinds: readonly string[]): string {
  const at = field === undefined ? 'type' : `event[${literal(field)}]`;
  return kinds.map((kind) => `${at} === ${literal(kind)}`).join(' || ');
}

/** Returns a function that recognizes the events of a kind. */
export function recognizerOf(kinds: EventKinds, kind: string): Code {
  const parameters = kinds.field === undefined ? '_: unknown, type: string' : 'event: Record<string, unknown>';
  return new Code(`(${parameters}) => ${conditionOf(kinds, [kind])}`);
}
