import { isObject } from '../../base/is-object.ts';
import { jsonIn, refused, type Judged } from '../classify-whole.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import type { RepeatedEvent } from '../model-api/repeated-event.ts';
import { SaidText } from '../model-api/said-text.ts';
import type { Piece, Verdict } from '../protocol.ts';
import { judgeMessage } from './judge-message.ts';

type Fields = Readonly<Record<string, unknown>>;

interface ToolUse {
  readonly block: Fields;
  json: string;
}

/** Reads the events of one message: `message_start`, blocks one after the other, `message_delta`, `message_stop`. */
export class MessageReader implements EventReader {
  readonly end = 'message_stop';
  readonly counter = 'index';
  readonly said = new SaidText();
  hasEnded = false;
  #message: Fields | undefined;
  #outcome: Fields = {};
  #usage: Fields = {};
  /** Of the block that has begun; -1: none has. */
  #blockIndex: unknown = -1;
  /** The block that has begun where it is a tool call. */
  #openCall: ToolUse | undefined;
  readonly #calls: ToolUse[] = [];

  take(event: Fields): Piece | Verdict {
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
        return this.#takeOutcome(event);
      case 'message_stop':
        if (this.#message === undefined) return broken('a message that ends without a beginning');
        this.hasEnded = true;
        return 'other';
      default:
        // `ping`, and whatever the API will add: its versioning says that clients have to take it.
        return typeof event['type'] === 'string' ? 'other' : broken('an event without a type');
    }
  }

  say(event: RepeatedEvent): Piece | Verdict {
    if (event.number !== this.#blockIndex) return notBegun;
    event.addTo(this.said);
    return event.isEmpty ? 'other' : 'content';
  }

  /** The message that the events amount to, judged as a whole one is. Arguments stay as they came. */
  reply(): Judged {
    const said = this.said.text;
    const text = said === '' ? [] : [{ type: 'text', text: said }];
    const tools = this.#calls.map(({ block, json }) => (json === '' ? block : { ...block, input: jsonIn(json) }));
    const judged = judgeMessage({
      ...this.#message,
      ...this.#outcome,
      content: [...text, ...tools],
      usage: this.#usage,
    });
    if (!('reply' in judged)) return judged;
    const toolCalls = judged.reply.toolCalls?.map((call, index) => ({
      ...call,
      arguments: argumentsOf(this.#calls[index], call.arguments),
    }));
    return { reply: { ...judged.reply, toolCalls } };
  }

  #beginMessage(message: unknown): Piece | Verdict {
    if (!isObject(message)) return broken('a message_start without a message');
    if (this.#message !== undefined && this.#message['id'] !== message['id'])
      return broken('the beginning of another message');
    this.#message = message;
    this.#addUsage(message['usage']);
    return 'other';
  }

  #beginBlock({ index, content_block: block }: Fields): Piece | Verdict {
    if (this.#message === undefined) return broken('a block before its message');
    if (typeof index !== 'number' || !isObject(block)) return broken('a block without its index or its content');
    this.#blockIndex = index;
    this.#openCall = block['type'] === 'tool_use' ? { block, json: '' } : undefined;
    if (this.#openCall === undefined) return block['type'] === 'text' ? this.#takeText(block['text']) : 'other';
    this.#calls.push(this.#openCall);
    return 'content';
  }

  #takeDelta({ index, delta }: Fields): Piece | Verdict {
    if (!isObject(delta)) return broken('a delta that is no object');
    if (index !== this.#blockIndex) return notBegun;
    switch (delta['type']) {
      case 'text_delta':
        return this.#takeText(delta['text']);
      case 'input_json_delta':
        return this.#takeInput(delta['partial_json']);
      case 'thinking_delta':
        return delta['thinking'] === '' ? 'other' : 'reasoning';
      default:
        return 'other';
    }
  }

  #takeText(text: unknown): Piece | Verdict {
    if (typeof text !== 'string') return broken('a text that is none');
    this.said.add(text);
    return text === '' ? 'other' : 'content';
  }

  #takeInput(json: unknown): Piece | Verdict {
    if (typeof json !== 'string') return broken('a part of an input that is no text');
    if (this.#openCall !== undefined) this.#openCall.json += json;
    return json === '' ? 'other' : 'content';
  }

  #takeOutcome({ delta, usage }: Fields): Piece {
    if (isObject(delta)) this.#outcome = { ...this.#outcome, ...delta };
    this.#addUsage(usage);
    return 'other';
  }

  /** Counts are those of the message so far: later ones replace earlier ones. */
  #addUsage(usage: unknown): void {
    if (isObject(usage)) this.#usage = { ...this.#usage, ...usage };
  }
}

/** As they came in pieces; without pieces they came with the beginning of their block. */
const argumentsOf = (use: ToolUse | undefined, begun: string): string =>
  use === undefined || use.json === '' ? begun : use.json;

const broken = (rule: string): Verdict => refused('contract_broken', rule);
const notBegun = broken('a delta of a block that has not begun');
