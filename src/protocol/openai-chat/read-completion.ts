import { isObject, valueAt } from '../../base/is-object.ts';
import { broken, type Judged } from '../classify-whole.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import { judgedReply, spentIn, type Fields } from '../model-api/read-reply.ts';
import { type RepeatedEvent, ReplyText } from '../model-api/repeated-event.ts';
import type { EventContent, SpentUsage, ToolCall, Verdict } from '../protocol.ts';
import { openaiUsage } from '../usage.ts';

/** Judges a completion: the first of its choices is the reply. */
export function judgeCompletion(completion: Fields): Judged {
  const message = valueAt(completion, ['choices', '0', 'message']);
  if (!Array.isArray(completion['choices']) || !isObject(message)) return { broken: 'choices[0].message is missing' };
  const { content = null, refusal, tool_calls: calls = null } = message;
  if (content !== null && typeof content !== 'string') return { broken: 'content is neither a text nor null' };
  const toolCalls = calls === null ? [] : Array.isArray(calls) ? calls.map(readCall) : [undefined];
  if (!toolCalls.every((call) => call !== undefined))
    return { broken: 'tool_calls is not a list of calls with an id, a name and arguments' };
  const text = (content ?? '') + (typeof refusal === 'string' ? refusal : '');
  return judgedReply(completion, { text, toolCalls, usage: openaiUsage });
}

function readCall(call: unknown): ToolCall | undefined {
  if (!isObject(call) || !isObject(call['function'])) return undefined;
  const { id } = call;
  const { name, arguments: text } = call['function'];
  if (typeof id !== 'string' || typeof name !== 'string' || typeof text !== 'string') return undefined;
  return { id, name, arguments: text };
}

/** Reads the chunks of one completion. Only the first choice is the reply. */
export class ChunkReader implements EventReader {
  readonly end = 'a finish_reason';
  readonly replyText = new ReplyText();
  #id = '';
  #model: unknown;
  #usage: unknown;
  #finishReason: string | undefined;
  #calls: CallParts | undefined;

  get hasEnded(): boolean {
    return this.#finishReason !== undefined;
  }

  get hasCalls(): boolean {
    return this.#calls !== undefined;
  }

  take(chunk: Fields): EventContent | Verdict {
    const { id, choices } = chunk;
    if (!Array.isArray(choices)) return broken('a chunk without a list of choices');
    if (typeof id === 'string' && id !== '' && id !== this.#id) {
      if (this.#id !== '') return broken('a chunk of another completion');
      this.#id = id;
      this.#model = chunk['model'];
    }
    if (isObject(chunk['usage'])) this.#usage = chunk['usage'];
    const choice: unknown = choices[0];
    if (choice === undefined) return 'other';
    return isObject(choice) ? this.#takeChoice(choice) : broken('a choice that is not an object');
  }

  repeat(event: RepeatedEvent): EventContent {
    event.addTo(this.replyText);
    return event.isEmpty ? 'other' : 'content';
  }

  /** Judges the completion that the chunks add up to. */
  reply(hasDone: boolean): Judged {
    const message = { role: 'assistant', content: this.replyText.text, tool_calls: this.#calls?.whole() };
    const judged = judgeCompletion({
      id: this.#id,
      object: 'chat.completion',
      model: this.#model,
      choices: [{ index: 0, message, finish_reason: this.#finishReason }],
      usage: this.#usage,
    });
    return 'reply' in judged && !hasDone ? { reply: { ...judged.reply, lacksDone: true } } : judged;
  }

  /** Returns the reported usage. It is final only after the end of the choice, because some services report the usage so far in every chunk. */
  spent(): SpentUsage | undefined {
    return spentIn({ usage: this.#usage, model: this.#model }, openaiUsage, this.hasEnded);
  }

  #takeChoice({ index = 0, delta = null, finish_reason: finishReason }: Fields): EventContent | Verdict {
    // Some services end with a choice without a delta.
    if (delta !== null && !isObject(delta)) return broken('a delta that is not an object');
    const isReply = index === 0;
    const taken = delta === null ? 'other' : this.#takeDelta(delta, isReply);
    if (isReply && typeof finishReason === 'string') this.#finishReason ??= finishReason;
    // Other choices are not part of the reply.
    return isReply || typeof taken !== 'string' ? taken : 'other';
  }

  #takeDelta(delta: Fields, isReply: boolean): EventContent | Verdict {
    const { content = null, refusal, tool_calls: calls = null } = delta;
    if (content !== null && typeof content !== 'string') return broken('content is neither a text nor null');
    if (calls !== null && !Array.isArray(calls)) return broken('tool_calls is not a list');
    const added = (content ?? '') + (typeof refusal === 'string' ? refusal : '');
    const hasCalls = calls !== null && calls.length > 0;
    if (isReply) this.replyText.add(added);
    if (isReply && hasCalls && !(this.#calls ??= new CallParts()).take(calls))
      return broken('a part of a tool call without its index');
    if (added !== '' || hasCalls) return 'content';
    return isText(delta['reasoning_content']) || isText(delta['reasoning']) ? 'reasoning' : 'other';
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Streamed tool calls: the first part of each has its id and name, all have a part of its arguments. */
class CallParts {
  readonly #calls = new Map<number, { id: unknown; name: unknown; arguments: string }>();

  /** Adds parts; returns whether each names its call. */
  take(parts: readonly unknown[]): boolean {
    return parts.every((part) => isObject(part) && this.#takePart(part));
  }

  /** Returns the calls as a non-streamed message has them; fields that were never received are `undefined`. */
  whole(): readonly object[] {
    const calls = [...this.#calls].toSorted(([a], [b]) => a - b);
    return calls.map(([, { id, ...called }]) => ({ id, type: 'function', function: called }));
  }

  #takePart({ index, id, function: part }: Fields): boolean {
    if (typeof index !== 'number') return false;
    const fields = isObject(part) ? part : {};
    let call = this.#calls.get(index);
    if (call === undefined) this.#calls.set(index, (call = { id, name: fields['name'], arguments: '' }));
    if (typeof fields['arguments'] === 'string') call.arguments += fields['arguments'];
    return true;
  }
}
