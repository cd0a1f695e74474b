import { isObject } from '../../base/is-object.ts';
import type { Random } from '../../base/random.ts';
import type { ResolvedModel } from '../../scenario/model-options.ts';
import { tokensOf, type MadeReply, type ToolCall } from '../model-api/make-reply.ts';
import type { CountTokens } from './token-counter.ts';
import type { CallInput, InputItem, OfferedTool } from './read-call.ts';
import { sampleSchema } from './sample-schema.ts';

/** A request for a reply of the model. */
interface AnswerRequest extends CallInput {
  model: string;
  maxTokens: number;
  /** Draws of this call. */
  draw: Random;
  /** Draws of its unique word. */
  wordDraw: Random;
  newId: (prefix: string) => string;
}

/** Content of a reply. */
export interface Answer extends Pick<MadeReply, 'tokens' | 'tool' | 'finish' | 'others' | 'itemId'> {
  /** The unique word in its text. */
  word: string | undefined;
}

/** Position of a request in its conversation. */
interface Position {
  /** Number of messages of the user. */
  turn: number;
  /** Number of tool results since the user's last message. */
  results: number;
  isResult: boolean;
  /** Text of the last item. */
  message: string;
}

type Rule = ResolvedModel['replies'][number];
type Call = { name: string; arguments: unknown };

/** Makes the replies of the model: by the first rule that matches, or sensibly. */
export class AnswerMaker {
  readonly #rules: readonly { rule: Rule; matches: (model: string, position: Position) => boolean }[];
  readonly #options: Pick<ResolvedModel, 'tools' | 'delivered'>;
  readonly #count: CountTokens;

  constructor(options: Pick<ResolvedModel, 'replies' | 'tools' | 'delivered'>, count: CountTokens) {
    this.#rules = options.replies.map((rule) => ({ rule, matches: matcherOf(rule) }));
    this.#options = options;
    this.#count = count;
  }

  make(request: AnswerRequest): Answer {
    const position = positionOf(request.items);
    const rule = this.#rules.find(({ matches }) => matches(request.model, position))?.rule;
    const calls = rule === undefined ? this.#callsOf(request, position) : this.#scripted(rule, request);
    if (calls.length > 0) return answerOf(calls, request);
    if (rule?.text !== undefined) return this.#text(filled(rule.text, request.model, position), request, true);
    if (request.format !== undefined) return this.#text(structured(request), request, false);
    return this.#text(sentences(request.draw), request, true);
  }

  /** Returns the calls that the reply makes: none after the results of as many as the turn has. */
  #callsOf({ tools, choice, isParallel, draw }: AnswerRequest, { results }: Position): Call[] {
    const [first] = tools;
    if (choice === 'none' || first === undefined) return [];
    const { calls, parallel } = this.#options.tools;
    const wanted = choice === 'auto' ? calls : Math.max(1, calls);
    const missing = Math.max(0, wanted - results);
    return Array.from({ length: parallel && isParallel ? missing : Math.min(1, missing) }, () => {
      const named = typeof choice === 'object' ? tools.find(({ name }) => name === choice.name) : undefined;
      const tool = named ?? tools[Math.floor(draw() * tools.length)] ?? first;
      return { name: tool.name, arguments: argumentsOf(tool, draw) };
    });
  }

  #scripted({ calls = [] }: Rule, { tools, draw }: AnswerRequest): Call[] {
    return calls.map(({ name, arguments: given }) => ({
      name,
      arguments:
        given ??
        argumentsOf(
          tools.find((tool) => tool.name === name),
          draw,
        ),
    }));
  }

  #text(text: string, request: AnswerRequest, mayHaveWord: boolean): Answer {
    const word = mayHaveWord && this.#options.delivered ? wordOf(request.wordDraw) : undefined;
    const all = tokensOf(word === undefined ? text : `${word} ${text}`);
    const tokens = this.#fit(all, request.maxTokens);
    const isWhole = tokens.length === all.length;
    const isDelivered = word !== undefined && tokens.join('').includes(word);
    return {
      tokens,
      tool: undefined,
      finish: isWhole ? 'stop' : 'length',
      itemId: request.newId(''),
      word: isDelivered ? word : undefined,
    };
  }

  /** Returns the beginning of a text that has at most this number of tokens. */
  #fit(words: readonly string[], maxTokens: number): readonly string[] {
    if (maxTokens === Infinity || this.#count(words.join('')) <= maxTokens) return words;
    let [from, to] = [0, Math.min(words.length, maxTokens)];
    while (from < to) {
      const middle = Math.ceil((from + to) / 2);
      if (this.#count(words.slice(0, middle).join('')) <= maxTokens) from = middle;
      else to = middle - 1;
    }
    return words.slice(0, Math.max(1, from));
  }
}

function answerOf(calls: readonly Call[], { newId }: AnswerRequest): Answer {
  const [first, ...others] = calls.map((call): ToolCall => ({
    tool: call.name,
    itemId: newId(''),
    tokens: pieces(JSON.stringify(call.arguments)),
  }));
  return { tokens: [], tool: undefined, itemId: '', ...first, others, finish: 'tool_calls', word: undefined };
}

/** Returns the pieces in which a stream sends the arguments of a call. */
const pieces = (text: string): string[] => text.match(/[^]{1,8}/gu) ?? [text];

function argumentsOf(tool: OfferedTool | undefined, draw: Random): object {
  const made = sampleSchema(tool?.schema, draw);
  return isObject(made) ? made : {};
}

function structured({ format, draw }: AnswerRequest): string {
  return JSON.stringify(format === true ? { answer: sentences(draw) } : sampleSchema(format, draw));
}

/** Returns the position of a request; the last user message begins the turn. */
function positionOf(items: readonly InputItem[]): Position {
  let turn = 0;
  let results = 0;
  for (const { role } of items)
    if (role === 'user') {
      turn++;
      results = 0;
    } else if (role === 'tool') results++;
  const last = items.at(-1);
  return { turn, results, isResult: last?.role === 'tool', message: last?.text ?? '' };
}

function matcherOf({ model, message, turn, calls, ...rule }: Rule): (requested: string, position: Position) => boolean {
  // Calls in reply to their own results would never end.
  const toolResult = rule.toolResult ?? (calls === undefined ? undefined : false);
  const isModel = model === undefined ? () => true : patternOf(model);
  const isMessage = message === undefined ? () => true : textTest(message);
  return (requested, position) =>
    isModel(requested) &&
    (turn === undefined || position.turn === turn) &&
    (toolResult === undefined || position.isResult === toolResult) &&
    isMessage(position.message);
}

/** Matches names with `*` in the place of any characters. */
export function patternOf(pattern: string): (name: string) => boolean {
  const [first = '', ...others] = pattern.split(/\*+/);
  const last = others.pop();
  if (last === undefined) return (name) => name === pattern;
  return (name) => {
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const part of others) {
      const found = name.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return name.length - last.length >= at && name.endsWith(last);
  };
}

function textTest(message: string): (text: string) => boolean {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(message) ?? [];
  if (source === undefined) return (text) => text.includes(message);
  const expression = new RegExp(source, flags?.replaceAll(/[gy]/g, ''));
  return (text) => expression.test(text);
}

const filled = (text: string, model: string, { message, turn }: Position): string =>
  text.replaceAll(/\{\{(message|turn|model)\}\}/g, (_, name: string) =>
    name === 'message' ? message : name === 'turn' ? String(turn) : model,
  );

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** Returns a unique word: `word-` and 13 characters of base 32. */
function wordOf(draw: Random): string {
  return `word-${Array.from({ length: 13 }, () => alphabet[Math.floor(draw() * 32)]).join('')}`;
}

const vocabulary =
  'the answer depends on several points first check order status then compare dates with our records most requests need one short step please look at details below each part has clear reason and next action if anything changes write again so we can help customers find right option without delay'.split(
    ' ',
  );

/** Returns two or three sentences, 20 to 30 words together. */
function sentences(draw: Random): string {
  const count = 20 + Math.floor(draw() * 11);
  const breaks = [8 + Math.floor(draw() * 4), count];
  let text = '';
  for (let index = 0; index < count; index++) {
    const word = vocabulary[Math.floor(draw() * vocabulary.length)] ?? '';
    const isFirst = index === 0 || index === breaks[0];
    text += (index === 0 ? '' : ' ') + (isFirst ? word.charAt(0).toUpperCase() + word.slice(1) : word);
    if (breaks.includes(index + 1)) text += '.';
  }
  return text;
}
