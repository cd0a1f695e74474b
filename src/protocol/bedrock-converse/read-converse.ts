import { isObject, valueAt } from '../../base/is-object.ts';
import { broken, classOfStatus, jsonIn, refused, type Judged } from '../classify-whole.ts';
import { partsIn, partText } from '../model-api/content-parts.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import { judgeFinish, spentIn, type Fields } from '../model-api/read-reply.ts';
import { ReplyText, type RepeatedEvent } from '../model-api/repeated-event.ts';
import { addInput, inputText } from '../model-api/tool-input.ts';
import { Notes } from '../notes.ts';
import type { EventContent, SpentUsage, ToolCall, Verdict } from '../protocol.ts';
import { bedrockUsage, laterUsage } from '../usage.ts';

/** Judges a reply: the text blocks of its message are the text, its `toolUse` blocks the calls. `notes`: deviations of its events. */
export function judgeConverse(reply: Fields, notes = new Notes()): Judged {
  const content = partsIn(valueAt(reply, ['output', 'message', 'content']), notes);
  if (content === undefined) return { broken: 'output.message.content is not a list of blocks' };
  const texts = content.map(({ text }) => (text === undefined ? '' : partText(text, notes)));
  if (!texts.every((text) => text !== undefined)) return { broken: 'a text block whose text is not a string' };
  const calls = content.flatMap(({ toolUse = null }) => (toolUse === null ? [] : [readCall(toolUse, notes)]));
  if (!calls.every((call) => call !== undefined))
    return { broken: 'a toolUse block without a name, or with an input nested too deeply' };
  const { usage, stopReason: reason } = reply;
  if (!isReason(reason)) notes.add('no_finish');
  return judgeFinish(reason, {
    text: texts.join(''),
    id: undefined,
    data: reply,
    toolCalls: calls.length === 0 ? undefined : calls,
    usage: isObject(usage) ? bedrockUsage(usage) : undefined,
    notes: notes.all,
  });
}

const isReason = (reason: unknown): boolean => typeof reason === 'string' && reason !== '';

function readCall(toolUse: unknown, notes: Notes): ToolCall | undefined {
  if (!isObject(toolUse)) return undefined;
  const { toolUseId: id, name, input } = toolUse;
  const text = inputText(input, notes);
  if (typeof name !== 'string' || text === undefined) return undefined;
  return { id: typeof id === 'string' ? id : '', name, arguments: text };
}

/** Statuses of the exceptions inside a stream: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html */
const statuses: Readonly<Record<string, number>> = {
  throttlingException: 429,
  validationException: 400,
  serviceUnavailableException: 503,
  internalServerException: 500,
  modelStreamErrorException: 500,
};

interface Call {
  readonly index: unknown;
  readonly toolUse: Fields;
  json: string;
}

/** Reads the events of one reply: `messageStart`, blocks, `messageStop`, `metadata` with the usage. */
export class ConverseReader implements EventReader {
  readonly end = 'messageStop';
  readonly isEndedByDone = true;
  readonly replyText = new ReplyText();
  readonly notes = new Notes();
  hasEnded = false;
  #hasBegun = false;
  #stopReason: unknown;
  #usage: Fields | undefined;
  /** Index of the open block; -1: none. */
  #openIndex: unknown = -1;
  /** Index of the last block that ended. */
  #endedIndex = -1;
  readonly #calls: Call[] = [];

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  get hasReason(): boolean {
    return isReason(this.#stopReason);
  }

  take(data: Fields, name: string): EventContent | Verdict {
    const [type, event] = unwrap(data, name);
    if (event !== data) this.notes.add('event_name');
    switch (type) {
      case 'messageStart':
        this.#hasBegun = true;
        return 'other';
      case 'contentBlockStart':
        return this.#beginBlock(event);
      case 'contentBlockDelta':
        return this.#takeDelta(event);
      case 'contentBlockStop':
        this.#endBlock(event['contentBlockIndex']);
        return 'other';
      case 'messageStop':
        this.#stopReason = event['stopReason'];
        this.hasEnded = true;
        return 'other';
      case 'metadata':
        if (isObject(event['usage'])) this.#usage = laterUsage(this.#usage, event['usage']);
        return 'other';
      default:
        return /exception$/i.test(type) ? refuseException(type, event) : 'other';
    }
  }

  repeat(event: RepeatedEvent): EventContent | Verdict {
    // The pattern has the index of its block.
    if (this.#openIndex === -1) this.notes.add('block_order');
    event.addTo(this.replyText);
    return event.isEmpty ? 'other' : 'content';
  }

  reply(): Judged {
    if (!this.#hasBegun) this.notes.add('no_begin');
    if (this.#openIndex !== -1) this.notes.add('block_order');
    const text = this.replyText.text;
    const calls = this.#calls.map(({ toolUse, json }) => ({
      toolUse: json === '' ? toolUse : { ...toolUse, input: objectIn(json) },
    }));
    const content = [...(text === '' ? [] : [{ text }]), ...calls];
    const reply = { output: { message: { content } }, stopReason: this.#stopReason, usage: this.#usage };
    const judged = judgeConverse(reply, this.notes);
    if (!('reply' in judged) || calls.length === 0) return judged;
    // Arguments stay as received.
    const toolCalls = judged.reply.toolCalls?.map((call, index) => {
      const json = this.#calls[index]?.json ?? '';
      return json === '' ? call : { ...call, arguments: json };
    });
    return { reply: { ...judged.reply, toolCalls } };
  }

  spent(): SpentUsage | undefined {
    return spentIn({ usage: this.#usage }, bedrockUsage, true);
  }

  /** Takes the index of a block or of a part of it: blocks follow each other, and only tool calls have a start. */
  #meet(index: unknown): void {
    if (index === this.#openIndex) return;
    if (this.#openIndex !== -1 || typeof index !== 'number' || index <= this.#endedIndex) this.notes.add('block_order');
    this.#openIndex = index;
  }

  #endBlock(index: unknown): void {
    this.#meet(index);
    this.#openIndex = -1;
    if (typeof index === 'number') this.#endedIndex = index;
  }

  #beginBlock({ contentBlockIndex: index, start }: Fields): EventContent | Verdict {
    this.#meet(index);
    const toolUse = isObject(start) ? start['toolUse'] : undefined;
    if (!isObject(toolUse)) return 'other';
    this.#calls.push({ index, toolUse, json: '' });
    return 'content';
  }

  #takeDelta({ contentBlockIndex: index, delta }: Fields): EventContent | Verdict {
    if (!isObject(delta)) return broken('a delta that is not an object');
    this.#meet(index);
    const { text, toolUse, reasoningContent } = delta;
    if (text !== undefined) return this.#takeText(text);
    if (isObject(toolUse)) return this.#takeInput(index, toolUse);
    return isObject(reasoningContent) && typeof reasoningContent['text'] === 'string' ? 'reasoning' : 'other';
  }

  #takeText(text: unknown): EventContent | Verdict {
    const added = partText(text, this.notes);
    if (added === undefined) return broken('a text that is not a string');
    this.replyText.add(added);
    return added === '' ? 'other' : 'content';
  }

  /** Adds a part of an input to the call of its block, else to the latest call; a part with a name begins a call. */
  #takeInput(index: unknown, toolUse: Fields): EventContent | Verdict {
    const { input, name } = toolUse;
    let call = this.#calls.findLast((each) => each.index === index);
    if (call === undefined && typeof name === 'string') this.#calls.push((call = { index, toolUse: { ...toolUse, input: undefined }, json: '' })); // prettier-ignore
    call ??= this.#calls.at(-1);
    if (call === undefined) return broken('a delta for a toolUse that has not started');
    call.json = addInput(call.json, input, this.notes);
    return input === '' ? 'other' : 'content';
  }
}

/** Returns the object of a complete input. */
function objectIn(json: string): unknown {
  const input = jsonIn(json);
  return isObject(input) ? input : undefined;
}

const types = ['messageStart', 'contentBlockStart', 'contentBlockDelta', 'contentBlockStop', 'messageStop', 'metadata'];
const isType = (name: string): boolean => types.includes(name) || name in statuses;

/** Returns the type and the fields of an event; some gateways send them as the SDKs return them, with the type as the only field, or as \`type\`. */
function unwrap(data: Fields, name: string): [type: string, event: Fields] {
  if (isType(name)) return [name, data];
  const key = Object.keys(data).find(isType);
  const inner = key === undefined ? undefined : data[key];
  if (key !== undefined && isObject(inner)) return [key, inner];
  const { type } = data;
  return typeof type === 'string' && isType(type) ? [type, { ...data }] : [name, data];
}

function refuseException(type: string, { message }: Fields): Verdict {
  const text = typeof message === 'string' && message !== '' ? `: ${message}` : '';
  return refused(classOfStatus(statuses[type] ?? 500), `${type} in a successful response${text}`);
}
