import { isObject, valueAt } from '../../base/is-object.ts';
import { shallowText } from '../../base/json.ts';
import { broken, classOfStatus, jsonIn, refused, type Judged } from '../classify-whole.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import { judgeFinish, spentIn, type Fields } from '../model-api/read-reply.ts';
import { ReplyText, type RepeatedEvent } from '../model-api/repeated-event.ts';
import type { EventContent, SpentUsage, ToolCall, Verdict } from '../protocol.ts';
import { bedrockUsage } from '../usage.ts';

/** Judges a reply: the text blocks of its message are the text, its `toolUse` blocks the calls. */
export function judgeConverse(reply: Fields): Judged {
  const content = valueAt(reply, ['output', 'message', 'content']);
  if (!Array.isArray(content) || !content.every(isObject))
    return { broken: 'output.message.content is not a list of blocks' };
  if (typeof reply['stopReason'] !== 'string') return { broken: 'a reply without a stopReason' };
  const texts = content.map(({ text = '' }) => text);
  if (!texts.every((text) => typeof text === 'string')) return { broken: 'a text block whose text is not a string' };
  const calls = content.flatMap(({ toolUse }) => (toolUse === undefined ? [] : [readCall(toolUse)]));
  if (!calls.every((call) => call !== undefined))
    return { broken: 'a toolUse block without an id or a name, or with an input nested too deeply' };
  const { usage } = reply;
  return judgeFinish(reply['stopReason'], {
    text: texts.join(''),
    id: undefined,
    data: reply,
    toolCalls: calls.length === 0 ? undefined : calls,
    usage: isObject(usage) ? bedrockUsage(usage) : undefined,
  });
}

function readCall(toolUse: unknown): ToolCall | undefined {
  if (!isObject(toolUse)) return undefined;
  const { toolUseId: id, name, input } = toolUse;
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  const text = shallowText(input ?? {});
  return text === undefined ? undefined : { id, name, arguments: text };
}

/** Statuses of the exceptions inside a stream: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html */
const statuses: Readonly<Record<string, number>> = {
  throttlingException: 429,
  validationException: 400,
  serviceUnavailableException: 503,
  internalServerException: 500,
  modelStreamErrorException: 500,
};

/** Reads the events of one reply: `messageStart`, blocks, `messageStop`, `metadata` with the usage. */
export class ConverseReader implements EventReader {
  readonly end = 'messageStop';
  readonly replyText = new ReplyText();
  hasEnded = false;
  #hasBegun = false;
  #stopReason: unknown;
  #usage: unknown;
  readonly #calls = new Map<unknown, { toolUse: Fields; json: string }>();

  get hasCalls(): boolean {
    return this.#calls.size > 0;
  }

  take(data: Fields, type: string): EventContent | Verdict {
    if (!this.#hasBegun && type.startsWith('content')) return broken('a block before messageStart');
    switch (type) {
      case 'messageStart':
        this.#hasBegun = true;
        return 'other';
      case 'contentBlockStart':
        return this.#beginBlock(data);
      case 'contentBlockDelta':
        return this.#takeDelta(data);
      case 'messageStop':
        this.#stopReason = data['stopReason'];
        this.hasEnded = true;
        return this.#hasBegun ? 'other' : broken('a messageStop without a messageStart');
      case 'metadata':
        this.#usage = data['usage'];
        return 'other';
      default:
        return /exception$/i.test(type) ? refuseException(type, data) : 'other';
    }
  }

  repeat(event: RepeatedEvent): EventContent | Verdict {
    event.addTo(this.replyText);
    return event.isEmpty ? 'other' : 'content';
  }

  reply(): Judged {
    const text = this.replyText.text;
    const calls = [...this.#calls.values()].map(({ toolUse, json }) => ({
      toolUse: { ...toolUse, input: jsonIn(json) },
    }));
    const content = [...(text === '' ? [] : [{ text }]), ...calls];
    const judged = judgeConverse({
      output: { message: { content } },
      stopReason: this.#stopReason,
      usage: this.#usage,
    });
    if (!('reply' in judged) || calls.length === 0) return judged;
    // Arguments stay as received.
    const received = [...this.#calls.values()].map(({ json }) => json);
    const toolCalls = judged.reply.toolCalls?.map((call, index) => ({ ...call, arguments: received[index] || '{}' }));
    return { reply: { ...judged.reply, toolCalls } };
  }

  spent(): SpentUsage | undefined {
    return spentIn({ usage: this.#usage }, bedrockUsage, true);
  }

  #beginBlock({ contentBlockIndex: index, start }: Fields): EventContent | Verdict {
    const toolUse = isObject(start) ? start['toolUse'] : undefined;
    if (!isObject(toolUse)) return 'other';
    this.#calls.set(index, { toolUse, json: '' });
    return 'content';
  }

  #takeDelta({ contentBlockIndex: index, delta }: Fields): EventContent | Verdict {
    if (!isObject(delta)) return broken('a delta that is not an object');
    const { text, toolUse, reasoningContent } = delta;
    if (typeof text === 'string') {
      this.replyText.add(text);
      return text === '' ? 'other' : 'content';
    }
    if (isObject(toolUse)) {
      const call = this.#calls.get(index);
      if (call === undefined) return broken('a delta for a toolUse that has not started');
      if (typeof toolUse['input'] !== 'string') return broken('a toolUse delta whose input is not a string');
      call.json += toolUse['input'];
      return toolUse['input'] === '' ? 'other' : 'content';
    }
    return isObject(reasoningContent) && typeof reasoningContent['text'] === 'string' ? 'reasoning' : 'other';
  }
}

function refuseException(type: string, { message }: Fields): Verdict {
  const text = typeof message === 'string' && message !== '' ? `: ${message}` : '';
  return refused(classOfStatus(statuses[type] ?? 500), `${type} in a successful response${text}`);
}
