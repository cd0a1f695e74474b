import { isObject } from '../../base/is-object.ts';
import { shallowText } from '../../base/json.ts';
import { broken, refused, type Judged } from '../classify-whole.ts';
import { refuseResponse } from '../model-api/api-error.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import { judgeFinish, type Fields } from '../model-api/read-reply.ts';
import { ReplyText, type RepeatedEvent } from '../model-api/repeated-event.ts';
import type { EventContent, SpentUsage, ToolCall, Usage, Verdict } from '../protocol.ts';
import { geminiUsage } from '../usage.ts';

/** Judges a response: the first candidate is the reply. */
export function judgeContent(response: Fields): Judged {
  const blocked = blockedPrompt(response);
  if (blocked !== undefined) return { refusal: blocked };
  const { candidates } = response;
  const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
  if (!isObject(candidate)) return { broken: 'a response without candidates' };
  if (typeof candidate['finishReason'] !== 'string') return { broken: 'a candidate without a finishReason' };
  const parts = partsOf(candidate);
  if (parts === undefined) return { broken: 'the content of a candidate is not a list of parts' };
  const toolCalls = parts.filter(isCall).map(readCall);
  if (!toolCalls.every((call) => call !== undefined)) return { broken: brokenCall };
  return judgeFinish(candidate['finishReason'], replyOf(response, { text: textOf(parts), toolCalls }));
}

function replyOf(response: Fields, { text, toolCalls }: { text: string; toolCalls: readonly ToolCall[] }) {
  const { responseId, modelVersion } = response;
  return {
    text,
    id: typeof responseId === 'string' ? responseId : undefined,
    data: response,
    toolCalls: toolCalls.length === 0 ? undefined : toolCalls,
    usage: usageIn(response),
    model: typeof modelVersion === 'string' ? modelVersion : undefined,
  };
}

/** Returns the verdict on an error status, or on an error in a success. A wrong key has the status 400. */
export function refuseGemini(status: number, body: unknown, text: string): Verdict | undefined {
  const verdict = refuseResponse(status, Array.isArray(body) ? body[0] : body, text);
  if (verdict?.outcome === 'bad_request' && detailsOf(body).some(({ reason }) => reason === 'API_KEY_INVALID'))
    return { ...verdict, outcome: 'unauthorized' };
  if (verdict?.outcome === 'not_found' && /\bmodel/.test(verdict.detail))
    return { ...verdict, outcome: 'agent_not_found' };
  return verdict;
}

/** Returns the details of an error. It is in a list if a stream was requested. */
function detailsOf(body: unknown): readonly Fields[] {
  const only: unknown = Array.isArray(body) ? body[0] : body;
  const error = isObject(only) ? only['error'] : undefined;
  return isObject(error) && Array.isArray(error['details']) ? error['details'].filter(isObject) : [];
}

/** Returns the wait in the details of an error, in the form of `Retry-After`. Source: google.rpc.RetryInfo. */
export function waitIn(body: unknown): string | undefined {
  const delay =
    detailsOf(body)
      .map(({ retryDelay }) => retryDelay)
      .find((each) => typeof each === 'string') ?? '';
  const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(delay) ?? [];
  return seconds === undefined ? undefined : String(Math.ceil(Number(seconds)));
}

/** A blocked prompt has no candidates. */
function blockedPrompt({ promptFeedback, candidates }: Fields): Verdict | undefined {
  const reason = isObject(promptFeedback) ? promptFeedback['blockReason'] : undefined;
  if (typeof reason !== 'string' || candidates !== undefined) return undefined;
  return refused('bad_request', `the prompt was blocked: ${reason}`);
}

/** Returns the parts of a candidate; none without a content, which a filter may remove. */
function partsOf({ content }: Fields): readonly Fields[] | undefined {
  const parts = content === undefined ? [] : isObject(content) ? (content['parts'] ?? []) : undefined;
  return Array.isArray(parts) && parts.every(isObject) ? parts : undefined;
}

/** Returns the text of the answer: without thoughts. */
const textOf = (parts: readonly Fields[]): string =>
  parts.map(({ text, thought }) => (typeof text === 'string' && thought !== true ? text : '')).join('');

const isCall = ({ functionCall }: Fields): boolean => functionCall !== undefined;

const brokenCall = 'a functionCall without a name, or with args nested too deeply';

function readCall({ functionCall: call, thoughtSignature }: Fields, index: number): ToolCall | undefined {
  if (!isObject(call) || typeof call['name'] !== 'string') return undefined;
  const id = typeof call['id'] === 'string' && call['id'] !== '' ? call['id'] : `unnamed-${String(index + 1)}`;
  const signature = typeof thoughtSignature === 'string' ? thoughtSignature : undefined;
  const text = shallowText(call['args'] ?? {});
  return text === undefined ? undefined : { id, name: call['name'], arguments: text, signature };
}

function usageIn({ usageMetadata: usage }: Fields): Usage | undefined {
  return isObject(usage) ? geminiUsage(usage) : undefined;
}

/** Reads the responses of one stream: each has some of the parts, the last one the `finishReason`. */
export class ContentReader implements EventReader {
  readonly end = 'a finishReason';
  readonly replyText = new ReplyText();
  readonly waitIn = waitIn;
  hasEnded = false;
  #last: Fields = {};
  #reason: string | undefined;
  #calls: ToolCall[] = [];

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  take(response: Fields): EventContent | Verdict {
    this.#last = { ...this.#last, ...response };
    const blocked = blockedPrompt(response);
    if (blocked !== undefined) return blocked;
    const { candidates } = response;
    const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
    if (candidate === undefined) return 'other';
    if (!isObject(candidate)) return broken('a candidate that is not an object');
    const parts = partsOf(candidate);
    if (parts === undefined) return broken('the content of a candidate is not a list of parts');
    const taken = this.#takeParts(parts);
    if (typeof candidate['finishReason'] === 'string')
      [this.#reason, this.hasEnded] = [candidate['finishReason'], true];
    return taken;
  }

  repeat(event: RepeatedEvent): EventContent {
    event.addTo(this.replyText);
    return event.isEmpty ? 'other' : 'content';
  }

  reply(): Judged {
    return judgeFinish(this.#reason, replyOf(this.#last, { text: this.replyText.text, toolCalls: this.#calls }));
  }

  /** Every response of a stream reports the usage so far. */
  spent(): SpentUsage | undefined {
    const usage = usageIn(this.#last);
    const { modelVersion: model } = this.#last;
    return usage && { usage, model: typeof model === 'string' ? model : undefined, isFinal: this.hasEnded };
  }

  #takeParts(parts: readonly Fields[]): EventContent | Verdict {
    const text = textOf(parts);
    this.replyText.add(text);
    const called = parts.filter(isCall);
    for (const call of called) {
      const read = readCall(call, this.#calls.length);
      if (read === undefined) return broken(brokenCall);
      this.#calls.push(read);
    }
    if (text !== '' || called.length > 0) return 'content';
    return parts.some(({ thought, text: words }) => thought === true && words !== '') ? 'reasoning' : 'other';
  }
}
