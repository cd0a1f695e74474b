import { isObject } from '../../base/is-object.ts';
import { broken, refused, type Judged } from '../classify-whole.ts';
import { refuseResponse } from '../model-api/api-error.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import { judgeFinish, type Fields } from '../model-api/read-reply.ts';
import { ReplyText, type RepeatedEvent } from '../model-api/repeated-event.ts';
import { Notes } from '../notes.ts';
import type { EventContent, SpentUsage, ToolCall, Usage, Verdict } from '../protocol.ts';
import { geminiUsage, laterUsage } from '../usage.ts';
import { isCall, isThought, partsOf, readCall, textOf } from './read-parts.ts';

/** Judges a response: the first candidate is the reply. */
export function judgeContent(response: Fields, notes = new Notes()): Judged {
  const blocked = blockedPrompt(response);
  if (blocked !== undefined) return { refusal: blocked };
  const candidate = candidateIn(response, notes);
  if (!isObject(candidate)) return { broken: 'a response without candidates' };
  const { finishReason: reason } = candidate;
  if (!isReason(reason)) notes.add('no_finish');
  const parts = partsOf(candidate, notes);
  const text = parts && textOf(parts, notes);
  if (parts === undefined || text === undefined) return { broken: 'the content of a candidate is not a list of parts' };
  const toolCalls = parts.filter(isCall).map((part, index) => readCall(part, index, notes));
  if (!toolCalls.every((call) => call !== undefined)) return { broken: brokenCall };
  return judgeFinish(reasonOf(reason, toolCalls), { ...replyOf(response, { text, toolCalls }), notes: notes.all });
}

const brokenCall = 'a functionCall without a name, or with args nested too deeply';

/** Returns the first candidate; `undefined`: there is none. */
function candidateIn({ candidates }: Fields, notes: Notes): unknown {
  if (Array.isArray(candidates)) return candidates[0];
  notes.add('no_choices');
  return isObject(candidates) ? candidates : undefined;
}

/** Reports whether a reason is stated: some services state an empty one before the end. */
const isReason = (reason: unknown): reason is string =>
  typeof reason === 'string' && reason !== '' && reason !== 'FINISH_REASON_UNSPECIFIED';

/** Returns the reason to end: the API states no other for calls than for texts. */
const reasonOf = (reason: unknown, calls: readonly ToolCall[]): unknown =>
  calls.length > 0 && reason === 'STOP' ? 'tool_calls' : reason;

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
  if (verdict?.outcome === 'bad_request' && (isKeyInvalid(body) || /\bAPI key not valid\b/i.test(verdict.detail)))
    return { ...verdict, outcome: 'unauthorized' };
  if (verdict?.outcome === 'not_found' && /\bmodel/.test(verdict.detail))
    return { ...verdict, outcome: 'agent_not_found' };
  return verdict;
}

const isKeyInvalid = (body: unknown): boolean => detailsOf(body).some(({ reason }) => reason === 'API_KEY_INVALID');

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
  const hasCandidates = isObject(candidates) || (Array.isArray(candidates) && candidates.length > 0);
  if (typeof reason !== 'string' || hasCandidates) return undefined;
  return refused('bad_request', `the prompt was blocked: ${reason}`);
}

function usageIn({ usageMetadata: usage }: Fields): Usage | undefined {
  return isObject(usage) ? geminiUsage(usage) : undefined;
}

/** Reads the responses of one stream: each has some of the parts, the last one the `finishReason`. */
export class ContentReader implements EventReader {
  readonly end = 'a finishReason';
  readonly isEndedByDone = true;
  readonly replyText = new ReplyText();
  readonly notes = new Notes();
  readonly waitIn = waitIn;
  hasEnded = false;
  #last: Fields = {};
  /** The latest usage with a number: some responses report none, or null. */
  #usage: Fields | undefined;
  #id: unknown;
  #reason: string | undefined;
  #calls: ToolCall[] = [];
  readonly #hasOneCandidate: boolean;

  /** `hasOneCandidate`: false if several candidates were requested. */
  constructor(hasOneCandidate = true) {
    this.#hasOneCandidate = hasOneCandidate;
  }

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  take(response: Fields): EventContent | Verdict {
    const { responseId: id, usageMetadata: usage } = response;
    this.#last = { ...this.#last, ...response };
    if (isObject(usage) && Object.values(usage).some((count) => typeof count === 'number'))
      this.#usage = laterUsage(this.#usage, usage);
    if (typeof id === 'string' && id !== '' && id !== this.#id) this.#identify(id);
    const blocked = blockedPrompt(response);
    if (blocked !== undefined) return blocked;
    const candidate = candidateIn(response, this.notes);
    if (candidate === undefined) return 'other';
    return isObject(candidate) ? this.#takeCandidate(candidate) : broken('a candidate that is not an object');
  }

  repeat(event: RepeatedEvent): EventContent {
    event.addTo(this.replyText);
    return event.isEmpty ? 'other' : 'content';
  }

  reply(): Judged {
    const response = { ...this.#last, responseId: this.#id, usageMetadata: this.#usage };
    const reply = replyOf(response, { text: this.replyText.text, toolCalls: this.#calls });
    return judgeFinish(reasonOf(this.#reason, this.#calls), reply);
  }

  /** Every response of a stream reports the usage so far. */
  spent(): SpentUsage | undefined {
    const { modelVersion: model } = this.#last;
    return (
      this.#usage && {
        usage: geminiUsage(this.#usage),
        model: typeof model === 'string' ? model : undefined,
        isFinal: this.hasEnded,
      }
    );
  }

  #identify(id: string): void {
    if (this.#id !== undefined) this.notes.add('several_ids');
    this.#id ??= id;
  }

  #takeCandidate(candidate: Fields): EventContent | Verdict {
    const { index = 0, finishReason: reason } = candidate;
    if (index !== 0) {
      // Other candidates are not part of the reply.
      if (!this.#hasOneCandidate) return 'other';
      this.notes.add('other_index');
    }
    const parts = partsOf(candidate, this.notes);
    if (parts === undefined) return broken('the content of a candidate is not a list of parts');
    const taken = this.#takeParts(parts);
    if (isReason(reason)) [this.#reason, this.hasEnded] = [reason, true];
    // A reason before the last content is not the end.
    else if (taken === 'content') this.hasEnded = false;
    return taken;
  }

  #takeParts(parts: readonly Fields[]): EventContent | Verdict {
    const text = textOf(parts, this.notes);
    if (text === undefined) return broken('a text that is not a string');
    this.replyText.add(text);
    const called = parts.filter(isCall);
    for (const call of called) {
      const read = readCall(call, this.#calls.length, this.notes);
      if (read === undefined) return broken(brokenCall);
      this.#calls.push(read);
    }
    if (text !== '' || called.length > 0) return 'content';
    return parts.some(isThought) ? 'reasoning' : 'other';
  }
}
