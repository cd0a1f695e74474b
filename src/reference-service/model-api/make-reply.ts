import type { SettledEmbedded } from '../../scenario/embedded.ts';
import type { EarlierTurns } from '../conversation/conversation.ts';
import type { ProviderReply } from '../conversation/provider.ts';
import { countPieces, fillers, fitPieces, piecesOf } from './pieces.ts';
import type { Asked } from './asked.ts';

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
  const wanted = stream.pieces === null ? words : fitPieces(words, stream.pieces);
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
