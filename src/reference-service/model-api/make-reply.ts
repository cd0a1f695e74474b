import type { SaidItem } from '../conversation/transcript.ts';
import type { ResolvedEmbedded } from '../../scenario/embedded.ts';
import type { EarlierTurns, StoredTurn } from '../conversation/conversation.ts';
import type { VariableValues } from '../conversation/instructions.ts';
import type { ProviderReply } from '../conversation/provider.ts';

/** A request for a reply, in the form that all APIs share. */
export interface ReplyRequest {
  /** The agent's id. */
  model: string;
  isStreamed: boolean;
  /** Replaces the agent's own instructions. */
  instructions: string | undefined;
  /** Values of the variables in the agent's own instructions. */
  values?: VariableValues;
  /** The part of the conversation that the request contains, the message included. */
  said: readonly SaidItem[];
  maxTokens: number;
  /** True if the agent may call tools. */
  hasTools: boolean;
  /** True if the last event of a streamed reply reports the usage, where an API leaves that to the client. */
  includesUsage: boolean;
  /** The conversation that the service keeps; `undefined`: the request contains all of it. */
  kept: KeptAt | undefined;
  /** Id of the request, if the reply repeats it. */
  requestId?: unknown;
}

/** The earlier turns that the service keeps: up to a response, in a conversation, or none yet. */
export interface KeptAt {
  responseId: string | undefined;
  /** `'new'`: a conversation that begins with this turn. */
  conversationId: string | undefined;
  /** True if this turn is to be remembered. */
  isStored: boolean;
}

/** A reply in the form that all APIs share, streamed or not. */
export interface MadeReply {
  /** Unique, as the API writes ids. */
  id: string;
  /** Id of the message, or of the call, in it: unique too. */
  itemId: string;
  request: ReplyRequest;
  /** Since 1970. */
  createdSeconds: number;
  reasoning: readonly string[];
  /** The text, or the arguments of the tool that is called. */
  tokens: readonly string[];
  /** The tool that is called; `undefined`: the reply is a text. */
  tool: string | undefined;
  /** Further calls of tools in the same reply. */
  others?: readonly ToolCall[];
  /** Number of equal choices; chat completions alone have several. */
  choices?: number;
  finish: 'stop' | 'length' | 'tool_calls';
  /** The turns before, for an API that repeats them in its replies. */
  earlier?: () => readonly StoredTurn[];
  /** Tokens of the instructions and the conversation, and of the reply, its reasoning included. */
  usage: { input: number; output: number; reasoning: number; cached?: number };
}

/** A call of a tool in a reply. */
export type ToolCall = Pick<MadeReply, 'itemId' | 'tokens'> & { tool: string };

type GoodReply = Exclude<ProviderReply, { kind: 'failed' }>;
type Content = Pick<MadeReply, 'reasoning' | 'tokens' | 'tool' | 'finish'>;

/** Returns the content of a reply: as many tokens as are configured, but not more than the request allows. */
export function contentOf(
  answer: GoodReply,
  { maxTokens }: ReplyRequest,
  { stream }: Pick<ResolvedEmbedded, 'stream'>,
): Content {
  const words = tokensOf(answer.text);
  if (answer.kind === 'call') return { reasoning: [], tokens: words, tool: answer.name, finish: 'tool_calls' };
  const wanted = stream.events === null ? words : fitTokens(words, stream.events);
  const reasoning = fillers(Math.min(stream.reasoning, maxTokens));
  const tokens = wanted.slice(0, maxTokens - reasoning.length);
  return { reasoning, tokens, tool: undefined, finish: tokens.length < wanted.length ? 'length' : 'stop' };
}

/** Returns the usage of a reply, streamed or not. */
export function usageOf({ reasoning, tokens }: Content, request: ReplyRequest, kept: EarlierTurns): MadeReply['usage'] {
  const sent = [request.instructions ?? '', ...request.said.map(({ text }) => text)];
  const before = kept.remembered().flatMap(({ message, response }) => [message, response]);
  const input = [...sent, ...before].reduce((sum, text) => sum + tokensOf(text).length, 0);
  return { input, output: reasoning.length + tokens.length, reasoning: reasoning.length };
}

/** Splits a text into words, each with the space before it, and words at their hyphens: a tag or a code thus has several. */
export function tokensOf(text: string): string[] {
  return text.match(/\s*(?:[^\s-]+-?|-)(?:\s+$)?/g) ?? (text === '' ? [] : [text]);
}

/** Returns exactly this number of tokens: filler words pad a short reply, the last token contains the remainder of a long one. */
function fitTokens(tokens: readonly string[], count: number): string[] {
  if (tokens.length <= count) return [...tokens, ...fillers(count - tokens.length, tokens.length)];
  return [...tokens.slice(0, count - 1), tokens.slice(count - 1).join('')];
}

/** Returns filler words. `before`: number of tokens before them. */
function fillers(count: number, before = 0): string[] {
  return Array.from({ length: count }, (_, index) => (before + index === 0 ? 'well' : ' well'));
}
