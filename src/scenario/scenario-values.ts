import type { FailedClass, FinishedClass } from '../protocol/outcome.ts';
import type { Usage } from '../protocol/protocol.ts';
import type { DurationDistribution } from './duration-distribution.ts';
import type { ConversationFile } from './from-file.ts';

/** Returns the cost of a reply that keeps the contract, from its `data`; never a promise. */
export type ReplyCost = (data: Readonly<Record<string, unknown>>) => number;

export type TurnOptions =
  | number
  | { min: number; max: number }
  /** Normal, rounded, at least 1. */
  | { mean: number; sd: number }
  /** Shares of turn counts, such as `{ '1': 35, '2': 25, '3-4': 40 }`; within a range every count is equally likely. */
  | { weights: Readonly<Record<string, number>> }
  | TurnPreset;
type TurnPreset = 'public-mix' | 'support-agent';
export type ThinkTimeOptions = DurationDistribution | 'chat';

/** A credential: text, a template, or a function; one that differs by session is an identity of that session. */
export type AuthText = string | ((context: TemplateContext) => string);

/** A token that authorizes. */
export interface GivenToken {
  /** The token itself. */
  value: string;
  /** When it ends: a date, its ISO 8601 text, or milliseconds since 1970. Default: as a JWT says it itself, else not known. */
  expiresAt?: Date | string | number | undefined;
}

/** Obtains a token. Outside the hot path: before the start, and ahead of each end. */
export type TokenFunction = () => GivenToken | Promise<GivenToken>;

/** The class of an attempt that failed. */
export type RetryClass = FailedClass;

export type DataLists = Readonly<Record<string, DataList>>;

/** Rows, here or in a file beside the scenario. `weight` names the field by which they are picked; without it all are equally likely. */
export type DataList =
  | readonly unknown[]
  | { readonly rows: readonly unknown[]; readonly weight?: string }
  | { readonly file: string; readonly weight?: string };

/** A template, a plain JSON value, a function, or arrays and objects of them. */
export type ValueTemplate<Lists extends DataLists = DataLists> =
  | string
  | number
  | boolean
  | null
  | ValueFunction<Lists>
  | readonly ValueTemplate<Lists>[]
  | { readonly [key: string]: ValueTemplate<Lists> };

/** The value of a header field: a template, or a function, which leaves the field out with null or undefined. */
export type HeaderValue = string | number | boolean | ((context: TemplateContext) => unknown);

/** Called once a session, or once a turn when it reads `turn`. Gives a value, never a promise: no run waits for one. */
export type ValueFunction<Lists extends DataLists = DataLists> = (context: TemplateContext<Lists>) => unknown;
export type MessageFunction<Lists extends DataLists = DataLists> = (context: MessageContext<Lists>) => string;

/** A turn of a session. */
export interface MessageTurn {
  /** From 1. */
  readonly number: number;
  /** With `load.trace`, the tokens that its message had when it was recorded. Default: none is said. */
  readonly inputTokens?: number | undefined;
}

/** What a function in place of a template is given. Everything in it depends on the seed and the session alone. */
export interface TemplateContext<Lists extends DataLists = DataLists> {
  /** The session, counted from 1. */
  readonly session: { readonly number: number };
  /** The turn within it, counted from 1; turns that say what tools gave belong to the message before. */
  readonly turn: MessageTurn;
  /** Draws from [0, 1). */
  random: () => number;
  /** The row of a list that belongs to this session: the same wherever that list is used. */
  pick: <Name extends keyof Lists & string>(list: Name) => RowOf<Lists[Name]>;
}

/** A list, of which turn k takes message k, cyclically; one function of the turn; a script that branches; or conversations of a file. */
export type MessageOptions<Lists extends DataLists = DataLists> =
  readonly (string | MessageFunction<Lists>)[] | MessageFunction<Lists> | ConversationScript<Lists> | ConversationFile;

/** A conversation in which what is said depends on what is replied. */
export interface ConversationScript<Lists extends DataLists = DataLists> {
  /** Opens the conversation. */
  first: string | MessageFunction<Lists>;
  /** Gives every message behind it. */
  next: NextMessage<Lists>;
}

/**
 * Called when a turn has ended: returns the next message, or null or undefined when the user has what was wanted, which
 * ends the session. Never a promise. What it throws ends the run. Its draws belong to the session and the turn.
 */
export type NextMessage<Lists extends DataLists = DataLists> = (
  reply: HeardReply,
  context: NextContext<Lists>,
) => string | null | undefined;

/**
 * Called when a reply calls the tool: what it returns is said in the session's next turn, a text as it is, anything else
 * as JSON. Never a promise. What it throws ends the run.
 */
export type ToolFunction<Lists extends DataLists = DataLists> = (
  given: ToolArguments,
  context: MessageContext<Lists>,
) => unknown;

/** What a reply calls a tool with, read from its JSON. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** What a turn came to, as its user sees it. */
export interface HeardReply {
  /** What the agent said; of a reply that its user left, as much as had come; '' for other outcomes than `ok`. */
  readonly text: string;
  /** Another one than `ok` is seen with `onFailedTurn: 'continue'` only, and `abandoned` where users leave. */
  readonly outcome: FinishedClass;
  /** The tokens that the reply says it took. */
  readonly usage: Readonly<Usage> | undefined;
}

/** What `next` is given beside the reply; `turn` is the one that it speaks for. */
export interface NextContext<Lists extends DataLists = DataLists> extends MessageContext<Lists> {
  /** The messages so far, without what the integrity guard added to them. */
  readonly said: readonly string[];
}

export interface MessageContext<Lists extends DataLists = DataLists> extends TemplateContext<Lists> {
  /** The variable values of this turn. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Judges the text of a reply: true when it passes, false or the reason in words when it does not. One that throws has
 * failed, with what it threw as the reason. Never a promise, which ends the run.
 */
export type ReplyCheck = (reply: string, context: ReplyContext) => boolean | string;

export interface ReplyContext {
  /** The session, counted from 1. */
  readonly session: { readonly number: number };
  /** The turn within it, counted from 1. */
  readonly turn: { readonly number: number };
  /** What was said; '' in a turn that says what tools gave. */
  readonly message: string;
}

type RowOf<List> = List extends readonly (infer Row)[] | { readonly rows: readonly (infer Row)[] }
  ? Row
  : Readonly<Record<string, string>>;
