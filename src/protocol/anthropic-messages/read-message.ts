import { isObject } from '../../base/is-object.ts';
import { shallowText } from '../../base/json.ts';
import { broken, jsonIn, type Judged } from '../classify-whole.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import { judgedReply, spentIn, type Fields } from '../model-api/read-reply.ts';
import { type RepeatedEvent, ReplyText } from '../model-api/repeated-event.ts';
import type { EventContent, SpentUsage, ToolCall, Verdict } from '../protocol.ts';
import { anthropicUsage } from '../usage.ts';

/** Judges a message: its text blocks are the text, its `tool_use` blocks the calls. */
export function judgeMessage(message: Fields): Judged {
  const { content } = message;
  if (!Array.isArray(content) || !content.every(isObject)) return { broken: 'content is not a list of blocks' };
  const ofType = (type: string): readonly Fields[] => content.filter((block) => block['type'] === type);
  const texts = ofType('text').map(({ text }) => text);
  if (!texts.every((text) => typeof text === 'string')) return { broken: 'a text block without a text' };
  const calls = ofType('tool_use').map(readCall);
  if (!calls.every((call) => call !== undefined))
    return { broken: 'a tool_use block without an id or a name, or with an input nested too deeply' };
  const thoughts = content.filter(({ type }) => thinking.has(type));
  const signature = shallowText(thoughts)?.slice(1, -1);
  if (signature === undefined) return { broken: 'a block of reasoning is nested too deeply' };
  // The API requires the thinking before the calls again, next to their results.
  const toolCalls = calls.map((call, index) => (index === 0 && signature !== '' ? { ...call, signature } : call));
  return judgedReply(message, {
    text: texts.join(''),
    toolCalls,
    usage: anthropicUsage,
    reason: message['stop_reason'],
  });
}

/** Types of blocks with reasoning, which has a signature or is encrypted. */
const thinking: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

function readCall({ id, name, input }: Fields): ToolCall | undefined {
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  const text = shallowText(input ?? {});
  return text === undefined ? undefined : { id, name, arguments: text };
}

interface ToolUse {
  readonly block: Fields;
  json: string;
}

/** Reads the events of one message: `message_start`, blocks one after another, `message_delta`, `message_stop`. */
export class MessageReader implements EventReader {
  readonly end = 'message_stop';
  readonly counter = 'index';
  readonly replyText = new ReplyText();
  hasEnded = false;
  #message: Fields | undefined;
  #outcome: Fields = {};
  #usage: Record<string, unknown> | undefined;
  /** True after a `message_delta` with usage: a `message_start` only has the tokens of the request. */
  #hasFinalUsage = false;
  /** Index of the open block; -1: none. */
  #blockIndex: unknown = -1;
  /** The open block if it is a tool call. */
  #openCall: ToolUse | undefined;
  readonly #calls: ToolUse[] = [];
  /** Blocks of reasoning; the last one may be open. */
  readonly #thoughts: Record<string, unknown>[] = [];

  take(event: Fields): EventContent | Verdict {
    switch (event['type']) {
      case 'content_block_delta':
        return this.#takeDelta(event);
      case 'content_block_start':
        return this.#beginBlock(event);
      case 'content_block_stop':
        this.#blockIndex = -1;
        return 'other';
      case 'message_start':
        return this.#beginMessage(event['message']);
      case 'message_delta':
        if (isObject(event['delta'])) this.#outcome = { ...this.#outcome, ...event['delta'] };
        this.#addUsage(event['usage']);
        this.#hasFinalUsage ||= isObject(event['usage']);
        return 'other';
      case 'message_stop':
        if (this.#message === undefined) return broken('a message that ends without a message_start');
        this.hasEnded = true;
        return 'other';
      default:
        // `ping`, and future types, which clients must accept according to Anthropic's versioning policy.
        return typeof event['type'] === 'string' ? 'other' : broken('an event without a type');
    }
  }

  repeat(event: RepeatedEvent): EventContent | Verdict {
    if (event.number !== this.#blockIndex) return notBegun;
    event.addTo(this.replyText);
    return event.isEmpty ? 'other' : 'content';
  }

  /** Judges the message that the events add up to. Arguments stay as received. */
  reply(): Judged {
    const replyText = this.replyText.text;
    const text = replyText === '' ? [] : [{ type: 'text', text: replyText }];
    const tools = this.#calls.map(({ block, json }) => (json === '' ? block : { ...block, input: jsonIn(json) }));
    const content = [...this.#thoughts, ...text, ...tools];
    const judged = judgeMessage({ ...this.#message, ...this.#outcome, content, usage: this.#usage });
    if (!('reply' in judged)) return judged;
    // Without deltas, the beginning of a block contains the arguments.
    const toolCalls = judged.reply.toolCalls?.map((call, index) => {
      const json = this.#calls[index]?.json ?? '';
      return json === '' ? call : { ...call, arguments: json };
    });
    return { reply: { ...judged.reply, toolCalls } };
  }

  spent(): SpentUsage | undefined {
    return spentIn({ ...this.#message, usage: this.#usage }, anthropicUsage, this.#hasFinalUsage);
  }

  #beginMessage(message: unknown): EventContent | Verdict {
    if (!isObject(message)) return broken('a message_start without a message');
    if (this.#message !== undefined && this.#message['id'] !== message['id']) return broken('a second message_start');
    this.#message = message;
    this.#addUsage(message['usage']);
    return 'other';
  }

  #beginBlock({ index, content_block: block }: Fields): EventContent | Verdict {
    if (this.#message === undefined) return broken('a block before message_start');
    if (typeof index !== 'number' || !isObject(block)) return broken('a block without its index or its content');
    this.#blockIndex = index;
    this.#openCall = block['type'] === 'tool_use' ? { block, json: '' } : undefined;
    if (thinking.has(block['type'])) this.#thoughts.push({ ...block });
    if (this.#openCall === undefined) return block['type'] === 'text' ? this.#takeText(block['text']) : 'other';
    this.#calls.push(this.#openCall);
    return 'content';
  }

  #takeDelta({ index, delta }: Fields): EventContent | Verdict {
    if (!isObject(delta)) return broken('a delta that is not an object');
    if (index !== this.#blockIndex) return notBegun;
    switch (delta['type']) {
      case 'text_delta':
        return this.#takeText(delta['text']);
      case 'input_json_delta': {
        const { partial_json: json } = delta;
        if (typeof json !== 'string') return broken('a partial input that is not a string');
        if (this.#openCall !== undefined) this.#openCall.json += json;
        return json === '' ? 'other' : 'content';
      }
      case 'thinking_delta':
        this.#addThought('thinking', delta['thinking']);
        return delta['thinking'] === '' ? 'other' : 'reasoning';
      case 'signature_delta':
        this.#addThought('signature', delta['signature']);
        return 'other';
      default:
        return 'other';
    }
  }

  #addThought(field: 'thinking' | 'signature', added: unknown): void {
    const thought = this.#thoughts.at(-1);
    if (thought === undefined || typeof added !== 'string') return;
    const before = thought[field];
    thought[field] = (typeof before === 'string' ? before : '') + added;
  }

  #takeText(text: unknown): EventContent | Verdict {
    if (typeof text !== 'string') return broken('a text that is not a string');
    this.replyText.add(text);
    return text === '' ? 'other' : 'content';
  }

  /** Counts are totals of the message so far: later ones replace earlier ones. A count that is null is not reported. */
  #addUsage(usage: unknown): void {
    if (!isObject(usage)) return;
    this.#usage ??= {};
    for (const [name, value] of Object.entries(usage)) if (value !== null) this.#usage[name] = value;
  }
}

const notBegun = broken('a delta for a block that has not started');
