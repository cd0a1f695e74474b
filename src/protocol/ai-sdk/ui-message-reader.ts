import { isObject } from '../../base/is-object.ts';
import { shallowText } from '../../base/json.ts';
import { broken, refused, type Judged } from '../classify-whole.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import { judgeFinish, type Fields } from '../model-api/read-reply.ts';
import { ReplyText, type RepeatedEvent } from '../model-api/repeated-event.ts';
import type { EventContent, SpentUsage, ToolCall, Usage, Verdict } from '../protocol.ts';
import { tokenCount } from '../usage.ts';

/** Reads the parts of one message: `start`, texts and tool calls in steps, `finish`. Unknown parts are ignored, as the AI SDK's schema allows `data-*` and further fields. */
export class UiMessageReader implements EventReader {
  readonly end = 'finish';
  readonly replyText = new ReplyText();
  hasEnded = false;
  #id: string | undefined;
  #metadata: Fields = {};
  #reason: unknown;
  /** Ids of the texts that have started and not ended. */
  readonly #open = new Set<unknown>();
  /** Length of the text at the start of the step. */
  #stepStart = 0;
  /** Calls without a result: the client has to answer them. */
  readonly #calls = new Map<string, ToolCall>();

  take(part: Fields): EventContent | Verdict {
    const { type } = part;
    if (typeof type !== 'string') return broken('a part without a type');
    this.#merge(part['messageMetadata']);
    switch (type) {
      case 'start':
        if (typeof part['messageId'] === 'string') this.#id = part['messageId'];
        return 'other';
      case 'start-step':
        this.#stepStart = this.replyText.text.length;
        return 'other';
      case 'reset-step':
        this.replyText.cutTo(this.#stepStart);
        return 'other';
      case 'text-start':
        this.#open.add(part['id']);
        return 'other';
      case 'text-delta':
        return this.#takeText(part);
      case 'text-end':
        return this.#open.delete(part['id']) ? 'other' : notStarted;
      case 'reasoning-delta':
        return part['delta'] === '' ? 'other' : 'reasoning';
      case 'finish':
        [this.#reason, this.hasEnded] = [part['finishReason'], true];
        return 'other';
      case 'abort':
        return refused('truncated', 'the service aborted the reply');
      default:
        return type.startsWith('tool-') ? this.#takeTool(type, part) : 'other';
    }
  }

  repeat(event: RepeatedEvent): EventContent | Verdict {
    if (this.#open.size === 0) return notStarted;
    event.addTo(this.replyText);
    return event.isEmpty ? 'other' : 'content';
  }

  reply(hasDone: boolean): Judged {
    const toolCalls = [...this.#calls.values()];
    return judgeFinish(this.#reason, {
      text: this.replyText.text,
      id: this.#id,
      data: { id: this.#id, metadata: this.#metadata },
      toolCalls: toolCalls.length === 0 ? undefined : toolCalls,
      usage: usageIn(this.#metadata),
      model: modelIn(this.#metadata),
      ...(!hasDone && { lacksDone: true }),
    });
  }

  spent(): SpentUsage | undefined {
    const usage = usageIn(this.#metadata);
    return usage && { usage, model: modelIn(this.#metadata), isFinal: this.hasEnded };
  }

  #merge(metadata: unknown): void {
    if (isObject(metadata)) this.#metadata = { ...this.#metadata, ...metadata };
  }

  #takeText({ id, delta }: Fields): EventContent | Verdict {
    if (!this.#open.has(id)) return notStarted;
    if (typeof delta !== 'string') return broken('a text-delta that is not a text');
    this.replyText.add(delta);
    return delta === '' ? 'other' : 'content';
  }

  #takeTool(type: string, { toolCallId: id, toolName: name, input, providerExecuted }: Fields): EventContent | Verdict {
    if (typeof id !== 'string')
      return type.startsWith('tool-approval') ? 'other' : broken(`${type} without a toolCallId`);
    switch (type) {
      case 'tool-input-available':
        if (typeof name !== 'string') return broken('a tool call without a toolName');
        return providerExecuted === true ? 'content' : this.#call({ id, name, arguments: shallowText(input ?? {}) });
      case 'tool-input-start':
      case 'tool-input-delta':
        return 'content';
      case 'tool-input-error':
      case 'tool-output-available':
      case 'tool-output-error':
      case 'tool-output-denied':
        this.#calls.delete(id);
        return 'other';
      default:
        return 'other';
    }
  }

  #call({
    id,
    name,
    arguments: text,
  }: Omit<ToolCall, 'arguments'> & { arguments: string | undefined }): EventContent | Verdict {
    if (text === undefined) return broken('a tool call whose input is nested too deeply');
    this.#calls.set(id, { id, name, arguments: text });
    return 'content';
  }
}

const notStarted = broken('a part of a text that has not started');

/** Returns the usage in the metadata of a message, if the service sends it: as `usage` or `totalUsage`, or in the metadata itself. */
function usageIn(metadata: Fields): Usage | undefined {
  const found = [metadata['totalUsage'], metadata['usage'], metadata].filter(isObject);
  const usage = found.find(({ inputTokens, outputTokens }) => (inputTokens ?? outputTokens) !== undefined);
  return usage && languageModelUsage(usage);
}

/** Reads the AI SDK's `LanguageModelUsage`: the details are parts of input and output. */
function languageModelUsage(usage: Fields): Usage {
  const [input, output] = [usage['inputTokenDetails'], usage['outputTokenDetails']].map((part) =>
    isObject(part) ? part : {},
  );
  return {
    inputTokens: tokenCount(usage['inputTokens']),
    outputTokens: tokenCount(usage['outputTokens']),
    cachedInputTokens: tokenCount(input?.['cacheReadTokens'] ?? usage['cachedInputTokens']),
    cacheWriteTokens: tokenCount(input?.['cacheWriteTokens']),
    reasoningTokens: tokenCount(output?.['reasoningTokens'] ?? usage['reasoningTokens']),
  };
}

function modelIn({ model }: Fields): string | undefined {
  return typeof model === 'string' && model !== '' ? model : undefined;
}
