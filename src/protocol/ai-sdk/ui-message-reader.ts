import { isObject } from '../../base/is-object.ts';
import { broken, refused, type Judged } from '../classify-whole.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import { judgeFinish, type Fields } from '../model-api/read-reply.ts';
import { ReplyText, type RepeatedEvent } from '../model-api/repeated-event.ts';
import { Notes } from '../notes.ts';
import type { EventContent, SpentUsage, Usage, Verdict } from '../protocol.ts';
import { laterUsage, tokenCount } from '../usage.ts';
import { UiCalls } from './ui-calls.ts';

/**
 * Reads the parts of one message: `start`, texts and tool calls in steps, `finish`. `data-*` parts and further fields belong to the AI
 * SDK's schema; other unknown parts are noted.
 */
export class UiMessageReader implements EventReader {
  readonly end = 'finish';
  readonly replyText = new ReplyText();
  readonly notes = new Notes();
  readonly isEndedByDone = true;
  hasEnded = false;
  /** True after a text without parts before and after it. */
  isSingular = false;
  #hasBegun = false;
  #id: string | undefined;
  #metadata: Fields = {};
  #usage: Usage | undefined;
  #reason: unknown;
  /** Ids of the texts that have started and not ended. */
  readonly #open = new Set<unknown>();
  /** Length of the text at the start of the step. */
  #stepStart = 0;
  readonly #calls = new UiCalls(this.notes);

  take(part: Fields): EventContent | Verdict {
    const { type } = part;
    if (!this.#hasBegun) this.#begin(type);
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
        if (!this.#open.delete(part['id'])) this.#noteBounds('text-end', part);
        return 'other';
      case 'reasoning-delta':
        return this.#deltaOf(part) === '' ? 'other' : 'reasoning';
      case 'finish':
        return this.#finish(part);
      case 'abort':
        return refused('truncated', 'the service aborted the reply');
      default:
        return this.#takeOther(type, part);
    }
  }

  repeat(event: RepeatedEvent): EventContent {
    if (this.#open.size === 0) this.#noteBounds('text-delta', {});
    event.addTo(this.replyText);
    return event.isEmpty ? 'other' : 'content';
  }

  reply(hasDone: boolean): Judged {
    if (this.#open.size > 0) this.notes.add('text_bounds', 'a text that never ended');
    const toolCalls = this.#calls.unanswered;
    return judgeFinish(this.#reason ?? (toolCalls === undefined ? undefined : 'tool-calls'), {
      text: this.replyText.text,
      id: this.#id,
      data: { id: this.#id, metadata: this.#metadata },
      toolCalls,
      usage: this.#usage,
      model: modelIn(this.#metadata),
      ...(!hasDone && { lacksDone: true }),
    });
  }

  spent(): SpentUsage | undefined {
    const usage = this.#usage;
    return usage && { usage, model: modelIn(this.#metadata), isFinal: this.hasEnded };
  }

  #begin(type: unknown): void {
    this.#hasBegun = true;
    if (type !== 'start')
      this.notes.add('no_start', `${typeof type === 'string' ? type : 'a part without a type'} first`);
  }

  #merge(metadata: unknown): void {
    if (!isObject(metadata)) return;
    this.#metadata = { ...this.#metadata, ...metadata };
    const usage = usageIn(this.#metadata);
    if (usage !== undefined) this.#usage = laterUsage(this.#usage, usage);
  }

  #takeText(part: Fields): EventContent | Verdict {
    if (!this.#open.has(part['id'])) this.#noteBounds('text-delta', part);
    const delta = this.#deltaOf(part);
    if (delta === undefined) return broken('a text-delta that is not a text');
    this.replyText.add(delta);
    return delta === '' ? 'other' : 'content';
  }

  /** Returns the text of a part; other versions of the SDK have it in another field. */
  #deltaOf({ delta, text, textDelta }: Fields): string | undefined {
    if (typeof delta === 'string') return delta;
    const other = [text, textDelta].find((each) => typeof each === 'string');
    if (other !== undefined) this.notes.add('old_form', 'a text in another field than delta');
    return other ?? (delta === null ? '' : undefined);
  }

  #finish({ finishReason: reason }: Fields): EventContent {
    this.#reason = isObject(reason) ? reason['unified'] : reason;
    if (isObject(reason)) this.notes.add('old_form', 'a finishReason that is an object');
    this.hasEnded = true;
    return 'other';
  }

  #takeOther(type: unknown, part: Fields): EventContent | Verdict {
    if (typeof type !== 'string') this.notes.add('other_event', 'a part without a type');
    else if (type === 'text' || type === 'reasoning') return this.#takeOld(type, part);
    else if (type.startsWith('tool-')) return this.#calls.take(type, part);
    else if (!knownParts.has(type) && !type.startsWith('data-')) this.notes.add('other_event', type);
    return 'other';
  }

  /** Takes a text without parts before and after it, as previews of version 5 sent it. */
  #takeOld(type: string, part: Fields): EventContent {
    const text = this.#deltaOf(part) ?? '';
    if (type === 'reasoning') return text === '' ? 'other' : 'reasoning';
    this.isSingular = true;
    this.replyText.add(text);
    return text === '' ? 'other' : 'content';
  }

  #noteBounds(type: string, { id }: Fields): void {
    this.notes.add('text_bounds', `${type} of ${typeof id === 'string' ? id : 'a text'}, which has not started`);
  }
}

/** Parts without a text, besides `data-*` and those of tools. */
const knownParts = new Set([
  ...['reasoning-start', 'reasoning-end', 'finish-step', 'message-metadata', 'source-url', 'source-document', 'file'],
  'error',
]);

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
