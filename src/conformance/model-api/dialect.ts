import { isObject } from '../../base/is-object.ts';
import type { Judged } from '../../protocol/classify-whole.ts';
import { type Fields, show } from '../answer.ts';
import type { StreamEvent } from '../stream-event.ts';

/** Properties of one model API that the shared rules depend on. */
export interface Dialect {
  /** Name of the description of the API. */
  readonly description: string;
  /** Sections of the description, by kind of rule. */
  readonly sections: Readonly<Record<'request' | 'reply' | 'stream' | 'errors' | 'conversation', string>>;
  /** The member that identifies a non-streamed reply, as in `object: "chat.completion"`. */
  readonly kind: { readonly member: 'object' | 'type'; readonly value: string };
  /** Member with the time of the reply, in seconds since 1970; `undefined`: replies have none. */
  readonly created: 'created' | 'created_at' | undefined;
  /** Judges the generated content, regardless of other faults of the reply. */
  readonly judge: (reply: Fields) => Judged;
  readonly roleOf: (reply: Fields) => unknown;
  /** Reason for the end of a reply: its member, its known values, and its value for a reply that a limit cut off. */
  readonly finish: {
    readonly member: string;
    readonly known: readonly string[];
    readonly cutOff: string;
    readonly of: (reply: Fields) => unknown;
  };
  /** The members of `usage`, and of its total if there is one. */
  readonly usage: { readonly input: string; readonly output: string; readonly total: 'total_tokens' | undefined };
  /** Members without which a request is rejected. */
  readonly required: readonly string[];
  /** Members that limit the tokens of a reply, as alternatives: services of one API support different ones. */
  readonly limits: readonly Fields[];
  /** Returns the fault in the body of an error, if any. */
  readonly errorFault: (body: Fields) => string | undefined;
  readonly stream: {
    /** True if the `event` field repeats `type`. */
    readonly isTyped: boolean;
    /** Returns the text of the answer in an event; '' if there is none. */
    readonly textOf: (event: StreamEvent) => string;
    /** Returns the reason for the end of the reply. */
    readonly finishOf: (events: readonly StreamEvent[]) => unknown;
    /** Returns the usage of the reply. */
    readonly usageOf: (events: readonly StreamEvent[]) => unknown;
    /** The events that report the usage. */
    readonly usageSource: string;
  };
}

/** Returns the fault of an error in the member where these APIs have it: `{ error: { message, type, ... } }`. */
export function errorFault({ error }: Fields): string | undefined {
  if (!isObject(error)) return `error: ${show(error)}`;
  const lacking = ['message', 'type'].find((name) => typeof error[name] !== 'string' || error[name] === '');
  return lacking === undefined ? undefined : `error.${lacking}: ${show(error[lacking])}`;
}
