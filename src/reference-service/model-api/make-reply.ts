import type { SaidItem } from '../conversation/transcript.ts';
import type { SettledEmbedded } from '../../scenario/embedded.ts';
import type { EarlierTurns } from '../conversation/conversation.ts';
import type { ProviderReply } from '../conversation/provider.ts';

/** A request for a reply, whatever API it came by. */
export interface Asked {
  /** The agent's id. */
  model: string;
  isStreamed: boolean;
  /** In place of the agent's own instructions; `undefined`: none came. */
  instructions: string | undefined;
  /** What the request itself holds of the conversation, the message included. */
  said: readonly SaidItem[];
  /** The most pieces that the reply may have. */
  maxPieces: number;
  /** Whether the agent may call tools. */
  hasTools: boolean;
  /** Whether the last event of a streamed reply tells the usage, where an API leaves that to the client. */
  includesUsage: boolean;
  /** The conversation that the service keeps; `undefined`: the request holds all of it. */
  kept: KeptAt | undefined;
}

/** Where the service finds what was said before: after a response, in a conversation, or nowhere yet. */
export interface KeptAt {
  responseId: string | undefined;
  conversationId: string | undefined;
  /** Whether this turn is to be remembered. */
  isStored: boolean;
}

/** A reply as every API tells it, whole or in pieces. */
export interface MadeReply {
  /** Of this reply alone, as the API writes ids. */
  id: string;
  /** Of the message, or the call, in it: unique too. */
  itemId: string;
  asked: Asked;
  /** Since 1970. */
  createdSeconds: number;
  reasoning: readonly string[];
  /** The text, or the arguments of the tool that is called. */
  pieces: readonly string[];
  /** The tool that is called; `undefined`: the reply is a text. */
  tool: string | undefined;
  finish: 'stop' | 'length' | 'tool_calls';
  /** In pieces: those of the instructions and of everything said, and those of the reply, its reasoning included. */
  usage: { input: number; output: number; reasoning: number };
}

type GoodReply = Exclude<ProviderReply, { kind: 'failed' }>;
type Content = Pick<MadeReply, 'reasoning' | 'pieces' | 'tool' | 'finish'>;

/** What the reply consists of: as many pieces as are configured, but not more than were asked for. */
export function contentOf(answer: GoodReply, asked: Asked, { stream }: Pick<SettledEmbedded, 'stream'>): Content {
  if (answer.kind === 'call')
    return { reasoning: [], pieces: piecesOf(answer.text), tool: answer.name, finish: 'tool_calls' };
  const words = piecesOf(answer.text);
  const wanted = stream.events === null ? words : fitPieces(words, stream.events);
  const reasoning = fillers(Math.min(stream.reasoning, asked.maxPieces));
  const room = asked.maxPieces - reasoning.length;
  const isCut = wanted.length > room;
  return {
    reasoning,
    pieces: isCut ? wanted.slice(0, room) : wanted,
    tool: undefined,
    finish: isCut ? 'length' : 'stop',
  };
}

/** The same whole and streamed. */
export function usageOf({ reasoning, pieces }: Content, asked: Asked, kept: EarlierTurns): MadeReply['usage'] {
  const told = [asked.instructions ?? '', ...asked.said.map(({ text }) => text)];
  const before = kept.remembered().flatMap(({ message, response }) => [message, response]);
  const input = [...told, ...before].reduce((sum, text) => sum + countPieces(text), 0);
  return { input, output: reasoning.length + pieces.length, reasoning: reasoning.length };
}

/** Splits a text into words, each with the space before it, and words at their hyphens: what a streamed reply is sent in, and what stands for its tokens. A tag or a code thus comes in several. */
function piecesOf(text: string): string[] {
  return text.match(/\s*(?:[^\s-]+-?|-)(?:\s+$)?/g) ?? (text === '' ? [] : [text]);
}

/** How many pieces a text has. */
function countPieces(text: string): number {
  return piecesOf(text).length;
}

/** Exactly so many pieces: filler words follow a short reply, and the last piece takes the rest of a long one. */
function fitPieces(pieces: readonly string[], count: number): string[] {
  if (pieces.length <= count) return [...pieces, ...fillers(count - pieces.length, pieces.length)];
  return [...pieces.slice(0, count - 1), pieces.slice(count - 1).join('')];
}

/** Words that say nothing. `before`: how many pieces come before them. */
function fillers(count: number, before = 0): string[] {
  return Array.from({ length: count }, (_, index) => (before + index === 0 ? 'well' : ' well'));
}
