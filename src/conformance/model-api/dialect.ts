import { isObject } from '../../base/is-object.ts';
import type { Judged } from '../../protocol/classify-whole.ts';
import { type Fields, show } from '../answer.ts';
import type { StreamEvent } from './stream-event.ts';

/** What the rules that these APIs share have to know of one of them. */
export interface Dialect {
  /** Where the API is described. */
  readonly description: string;
  /** Of the description, for each kind of rule. */
  readonly sections: Readonly<Record<'request' | 'reply' | 'stream' | 'errors' | 'conversation', string>>;
  /** What says that an object is a whole reply, as in `object: "chat.completion"`. */
  readonly kind: { readonly member: 'object' | 'type'; readonly value: string };
  /** When a reply was made, in seconds since 1970; `undefined`: replies do not say. */
  readonly created: 'created' | 'created_at' | undefined;
  /** Judges what was generated, whatever else is wrong with the reply. */
  readonly judge: (reply: Fields) => Judged;
  /** Who speaks, wherever a reply says it. */
  readonly roleOf: (reply: Fields) => unknown;
  /** Why a reply ended: where it says so, what it may say, and what it says of a reply that its limit cut off. */
  readonly finish: {
    readonly member: string;
    readonly known: readonly string[];
    readonly cutOff: string;
    readonly of: (reply: Fields) => unknown;
  };
  /** The members of `usage`; a total where there is one. */
  readonly usage: { readonly input: string; readonly output: string; readonly total: 'total_tokens' | undefined };
  /** Members without which a request is refused. */
  readonly required: readonly string[];
  /** Members that limit the tokens of a reply, as alternatives: services of one API know different ones. */
  readonly limits: readonly Fields[];
  /** What is wrong with the body of an error, in words; `undefined`: nothing is. */
  readonly errorFault: (body: Fields) => string | undefined;
  readonly stream: {
    /** Whether the `event` field repeats `type`. */
    readonly isTyped: boolean;
    /** What an event adds to the text of the answer; '' for nothing. */
    readonly textOf: (event: StreamEvent) => string;
    /** Why the reply ended, of all events. */
    readonly finishOf: (events: readonly StreamEvent[]) => unknown;
    /** The tokens that the reply took, of all events. */
    readonly usageOf: (events: readonly StreamEvent[]) => unknown;
    /** What tells the tokens. */
    readonly usageTeller: string;
  };
}

/** What is wrong with an error in the member where these APIs have it: `{ error: { message, type, ... } }`. */
export function errorFault({ error }: Fields): string | undefined {
  if (!isObject(error)) return `error: ${show(error)}`;
  const lacking = ['message', 'type'].find((name) => typeof error[name] !== 'string' || error[name] === '');
  return lacking === undefined ? undefined : `error.${lacking}: ${show(error[lacking])}`;
}
