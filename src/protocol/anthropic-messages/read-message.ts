import { isObject } from '../../base/is-object.ts';
import { shallowText } from '../../base/json.ts';
import { broken, type Judged } from '../classify-whole.ts';
import { partsIn, partText } from '../model-api/content-parts.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import { eventType } from '../model-api/event-type.ts';
import { judgedReply, spentIn, type Fields } from '../model-api/read-reply.ts';
import { type RepeatedEvent, ReplyText } from '../model-api/repeated-event.ts';
import { inputText } from '../model-api/tool-input.ts';
import { Notes } from '../notes.ts';
import type { EventContent, SpentUsage, ToolCall, Verdict } from '../protocol.ts';
import { anthropicUsage, laterUsage } from '../usage.ts';
import { MessageBlocks, thinking } from './message-blocks.ts';

/** Judges a message: its text blocks are the text, its `tool_use` blocks the calls. `notes`: deviations of its events. */
export function judgeMessage(message: Fields, notes = new Notes()): Judged {
  const { content, stop_reason: reason } = message;
  const blocks = partsIn(content, notes);
  if (blocks === undefined) return { broken: 'content is not a list of blocks' };
  const text = textOf(blocks, notes);
  if (text === undefined) return { broken: 'a text block without a text' };
  const calls = blocks.filter(({ type }) => type === 'tool_use').map((block) => readCall(block, notes));
  if (!calls.every((call) => call !== undefined))
    return { broken: 'a tool_use block without a name, or with an input nested too deeply' };
  const thoughts = blocks.filter(({ type }) => thinking.has(type));
  const signature = shallowText(thoughts)?.slice(1, -1);
  if (signature === undefined) return { broken: 'a block of reasoning is nested too deeply' };
  // The API requires the thinking before the calls again, next to their results.
  const toolCalls = calls.map((call, index) => (index === 0 && signature !== '' ? { ...call, signature } : call));
  if (!isReason(reason)) notes.add('no_finish');
  return judgedReply(message, { text, toolCalls, usage: anthropicUsage, reason, notes: notes.all });
}

/** Returns the text of blocks; `undefined` if one has a value of another kind. */
function textOf(blocks: readonly Fields[], notes: Notes): string | undefined {
  const texts = blocks.filter((block) => isTextBlock(block, notes)).map(({ text }) => partText(text, notes));
  return texts.every((text) => text !== undefined) ? texts.join('') : undefined;
}

function isTextBlock({ type, text }: Fields, notes: Notes): boolean {
  if (type !== undefined) return type === 'text';
  if (text !== undefined) notes.add('part_form');
  return text !== undefined;
}

const isReason = (reason: unknown): boolean => typeof reason === 'string' && reason !== '';

function readCall({ id, name, input }: Fields, notes: Notes): ToolCall | undefined {
  const text = inputText(input, notes);
  if (typeof name !== 'string' || text === undefined) return undefined;
  return { id: typeof id === 'string' ? id : '', name, arguments: text };
}

/** Reads the events of one message: `message_start`, blocks one after another, `message_delta`, `message_stop`. */
export class MessageReader implements EventReader {
  readonly end = 'message_stop';
  readonly counter = 'index';
  readonly isEndedByDone = true;
  readonly replyText = new ReplyText();
  readonly notes = new Notes();
  hasEnded = false;
  hasReason = false;
  #hasBegun = false;
  #message: Fields = {};
  #outcome: Fields = {};
  #usage: Record<string, unknown> | undefined;
  /** True after a `message_delta` with usage: a `message_start` only has the tokens of the request. */
  #hasFinalUsage = false;
  readonly #blocks = new MessageBlocks(this.notes);

  take(event: Fields, name: string): EventContent | Verdict {
    switch (eventType(event, name, this.notes)) {
      case 'content_block_delta':
        return this.#takeDelta(event);
      case 'content_block_start':
        return this.#beginBlock(event);
      case 'content_block_stop':
        this.#blocks.end(event['index']);
        return 'other';
      case 'message_start':
        return this.#beginMessage(event['message']);
      case 'message_delta':
        this.#takeOutcome(event);
        return 'other';
      case 'message_stop':
        this.hasEnded = true;
        return this.#takeEarlyText();
      default:
        // `ping`, and future types, which clients must accept according to Anthropic's versioning policy.
        return 'other';
    }
  }

  repeat(event: RepeatedEvent): EventContent {
    this.#blocks.meet(event.number);
    if (this.hasReason && !event.isEmpty) this.notes.add('text_after_end');
    event.addTo(this.replyText);
    return event.isEmpty ? 'other' : 'content';
  }

  /** Judges the message that the events add up to. Arguments stay as received. */
  reply(): Judged {
    if (!this.#hasBegun) this.notes.add('no_begin');
    this.#takeEarlyText();
    const content = this.#blocks.whole(this.replyText.text);
    const message = { ...this.#message, ...this.#outcome, content, usage: this.#usage };
    const judged = judgeMessage(message, this.notes);
    if (!('reply' in judged)) return judged;
    // Without deltas, the beginning of a block contains the arguments.
    const toolCalls = judged.reply.toolCalls?.map((call, index) => {
      const json = this.#blocks.calls[index]?.json ?? '';
      return json === '' ? call : { ...call, arguments: json };
    });
    return { reply: { ...judged.reply, toolCalls } };
  }

  spent(): SpentUsage | undefined {
    return spentIn({ ...this.#message, usage: this.#usage }, anthropicUsage, this.#hasFinalUsage);
  }

  #beginMessage(message: unknown): EventContent | Verdict {
    const hadBegun = this.#hasBegun;
    this.#hasBegun = true;
    if (!isObject(message)) {
      this.notes.add('message_form');
      return 'other';
    }
    if (hadBegun && this.#message['id'] !== message['id']) {
      if (this.replyText.text !== '') return broken('a second message_start');
      this.notes.add('several_ids');
    }
    this.#message = message;
    this.#addUsage(message['usage']);
    return 'other';
  }

  #takeOutcome({ delta, usage }: Fields): void {
    if (isObject(delta)) this.#outcome = { ...this.#outcome, ...delta };
    this.hasReason = isReason(this.#outcome['stop_reason']);
    this.#addUsage(usage);
    this.#hasFinalUsage ||= isObject(usage);
  }

  #beginBlock({ index, content_block: block }: Fields): EventContent | Verdict {
    if (!isObject(block)) this.notes.add('part_form');
    const begun = isObject(block) ? block : {};
    this.#blocks.begin(index, begun);
    if (begun['type'] === 'tool_use') return 'content';
    return isTextBlock(begun, this.notes) ? this.#takeText(begun['text']) : 'other';
  }

  #takeDelta({ index, delta }: Fields): EventContent | Verdict {
    if (!isObject(delta)) return broken('a delta that is not an object');
    this.#blocks.meet(index);
    switch (this.#kindOf(delta)) {
      case 'text_delta':
        return this.#takeText(delta['text']);
      case 'input_json_delta': {
        const { partial_json: json } = delta;
        this.#blocks.addInput(index, json);
        return json === '' ? 'other' : 'content';
      }
      case 'thinking_delta':
        this.#blocks.addThought('thinking', delta['thinking']);
        return delta['thinking'] === '' ? 'other' : 'reasoning';
      case 'signature_delta':
        this.#blocks.addThought('signature', delta['signature']);
        return 'other';
      default:
        return 'other';
    }
  }

  /** Returns the type of a delta, or the type that its field shows. */
  #kindOf(delta: Fields): unknown {
    const { type } = delta;
    if (type !== undefined && type !== 'text') return type;
    this.notes.add('part_form');
    return kinds.find(([field]) => delta[field] !== undefined)?.[1];
  }

  #takeText(text: unknown): EventContent | Verdict {
    const added = partText(text, this.notes);
    if (added === undefined) return broken('a text that is not a string');
    if (this.hasReason && added !== '') this.notes.add('text_after_end');
    this.replyText.add(added);
    return added === '' ? 'other' : 'content';
  }

  /** Takes the text of `message_start`, which is empty as described; only a message without any other event of content has it there. */
  #takeEarlyText(): EventContent {
    const { content } = this.#message;
    const blocks = partsIn(content ?? [], this.notes) ?? [];
    if (blocks.length === 0) return 'other';
    this.notes.add('message_form');
    const text = this.replyText.text === '' ? textOf(blocks, this.notes) : '';
    this.replyText.add(text ?? '');
    return text === '' ? 'other' : 'content';
  }

  /** Counts are totals of the message so far: later ones replace earlier ones. A count that is null is not reported. */
  #addUsage(usage: unknown): void {
    if (!isObject(usage)) return;
    this.#usage ??= {};
    if (laterUsage(this.#usage, usage) !== usage) return;
    for (const [name, value] of Object.entries(usage)) if (value !== null) this.#usage[name] = value;
  }
}

/** Fields of deltas, by which a delta without a type is read. */
const kinds = [
  ['text', 'text_delta'],
  ['partial_json', 'input_json_delta'],
  ['thinking', 'thinking_delta'],
] as const;
