import type { FailedClass, FinishedClass } from '../protocol/outcome.ts';
import type { Usage } from '../protocol/protocol.ts';
export type { AbovePrices, ModelPrices, PriceList } from './price-options.ts';
import type { DurationDistribution } from './duration-distribution.ts';
import type { ConversationFile } from './from-file.ts';

/** Returns the cost of a conforming reply, from its `data`; never a promise. */
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

/** A credential: text, a template, or a function; one that differs by session is that session's identity. */
export type AuthText = string | ((context: TemplateContext) => string);

/** A token that authorizes. */
export interface GivenToken {
  /** Text of the token. */
  value: string;
  /** Expiry: a date, its ISO 8601 text, or milliseconds since 1970. Default: the expiry in a JWT, otherwise unknown. */
  expiresAt?: Date | string | number | undefined;
}

/** Obtains a token. Never called during a turn: only before the start, and before each expiry. */
export type TokenFunction = () => GivenToken | Promise<GivenToken>;

/** Class of a failed attempt. */
export type RetryClass = FailedClass;

export type DataLists = Readonly<Record<string, DataList>>;

/** Rows, inline or in a file next to the scenario. `weight` names the field with their relative frequency; without it all are equally likely. */
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

/** Value of a header: a template, or a function, which omits the header if it returns null or undefined. */
export type HeaderValue = string | number | boolean | ((context: TemplateContext) => unknown);

/** Called once per session, or once per turn if it reads `turn`. Returns a value, never a promise: the run does not wait for one. */
export type ValueFunction<Lists extends DataLists = DataLists> = (context: TemplateContext<Lists>) => unknown;
export type MessageFunction<Lists extends DataLists = DataLists> = (context: MessageContext<Lists>) => string;

/** A turn of a session. */
export interface MessageTurn {
  /** From 1. */
  readonly number: number;
  /** Recorded input tokens of the message, with `load.trace`. Default: unknown. */
  readonly inputTokens?: number | undefined;
}

/** Argument of functions that replace templates. Everything in it but `run` only depends on the seed and the session. */
export interface TemplateContext<Lists extends DataLists = DataLists> {
  /** The run: `id` has eight characters that are different in every run, for ids that the client chooses. */
  readonly run: { readonly id: string };
  /** The session, counted from 1. */
  readonly session: { readonly number: number };
  /** Number of the turn, from 1; turns that send tool results belong to the message before. */
  readonly turn: MessageTurn;
  /** Draws from [0, 1). */
  random: () => number;
  /** Returns this session's row of a list: the same wherever that list is used. */
  pick: <Name extends keyof Lists & string>(list: Name) => RowOf<Lists[Name]>;
}

/** A list, of which turn k takes message k, cyclically; one function of the turn; a branching script; or conversations from a file. */
export type MessageOptions<Lists extends DataLists = DataLists> =
  readonly (string | MessageFunction<Lists>)[] | MessageFunction<Lists> | ConversationScript<Lists> | ConversationFile;

/** A conversation in which messages depend on replies. */
export interface ConversationScript<Lists extends DataLists = DataLists> {
  /** First message of the conversation. */
  first: string | MessageFunction<Lists>;
  /** Returns every further message. */
  next: NextMessage<Lists>;
}

/**
 * Called after each turn: returns the next message, or null or undefined when the user's goal is reached, which
 * ends the session. Never a promise. An exception ends the run. Its draws belong to the session and the turn.
 */
export type NextMessage<Lists extends DataLists = DataLists> = (
  reply: PreviousReply,
  context: NextContext<Lists>,
) => string | null | undefined;

/**
 * Called when a reply calls the tool: its result is sent in the session's next turn, text unchanged, anything else
 * as JSON. Never a promise. An exception ends the run.
 */
export type ToolFunction<Lists extends DataLists = DataLists> = (
  given: ToolArguments,
  context: MessageContext<Lists>,
) => unknown;

/** Arguments of a tool call, parsed from its JSON. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** Result of a turn, as its user sees it. */
export interface PreviousReply {
  /** Text of the reply; of an abandoned one, the part received so far; '' for outcomes other than `ok`. */
  readonly text: string;
  /** Other outcomes than `ok` only occur with `onFailedTurn: 'continue'`, and `abandoned` with `abandon`. */
  readonly outcome: FinishedClass;
  /** Token usage as reported in the reply. */
  readonly usage: Readonly<Usage> | undefined;
}

/** Context of `next`; `turn` is the turn of the message that it returns. */
export interface NextContext<Lists extends DataLists = DataLists> extends MessageContext<Lists> {
  /** Messages so far, without the integrity guard's additions. */
  readonly sent: readonly string[];
}

export interface MessageContext<Lists extends DataLists = DataLists> extends TemplateContext<Lists> {
  /** The variable values of this turn. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Checks the text of a reply: returns true if it passes, false or the reason if it fails. A check that throws has
 * failed, with the exception as the reason. Never a promise, which ends the run.
 */
export type ReplyCheck = (reply: string, context: ReplyContext) => boolean | string;

export interface ReplyContext {
  /** The session, counted from 1. */
  readonly session: { readonly number: number };
  /** The turn within it, counted from 1. */
  readonly turn: { readonly number: number };
  /** Message of the turn; '' in a turn that sends tool results. */
  readonly message: string;
}

type RowOf<List> = List extends readonly (infer Row)[] | { readonly rows: readonly (infer Row)[] }
  ? Row
  : Readonly<Record<string, string>>;
