import { isObject, valueAt } from '../../base/is-object.ts';
import { shallowText } from '../../base/json.ts';
import { broken, type Judged } from '../classify-whole.ts';
import { finishOf } from '../finish.ts';
import { errorIn, errorInstead, refuseError } from '../model-api/api-error.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import { judgedReply, spentIn, type Fields } from '../model-api/read-reply.ts';
import { type RepeatedEvent, ReplyText } from '../model-api/repeated-event.ts';
import { Notes } from '../notes.ts';
import type { EventContent, SpentUsage, ToolCall, Verdict } from '../protocol.ts';
import { laterUsage, openaiUsage } from '../usage.ts';
import { CallParts } from './call-parts.ts';
import { contentIn } from '../model-api/content-parts.ts';

/** Judges a completion: the first of its choices is the reply. `notes`: deviations of its chunks. */
export function judgeCompletion(completion: Fields, notes = new Notes()): Judged {
  const choice = valueAt(completion, ['choices', '0']);
  const message = isObject(choice) ? messageIn(choice, ['message', 'delta'], notes) : undefined;
  if (!isObject(choice) || message === undefined) return { broken: 'choices[0].message is missing' };
  const failure = errorIn(choice);
  if (failure !== undefined) return { refusal: refuseError(failure) };
  const content = contentIn(message, notes);
  if (content === undefined) return { broken: 'content is neither a text, a list of parts nor null' };
  const { refusal } = message;
  const calls = callsIn(message, notes);
  const toolCalls = Array.isArray(calls) ? calls.map((call) => readCall(call, notes)) : [undefined];
  if (!toolCalls.every((call) => call !== undefined))
    return { broken: 'tool_calls is not a list of calls with a name and arguments' };
  const hasRefusal = typeof refusal === 'string' && refusal !== '';
  const text = content.text + (hasRefusal ? refusal : '');
  const error = text === '' && toolCalls.length === 0 ? (errorInstead(choice) ?? errorInstead(message)) : undefined;
  if (error !== undefined) return { refusal: refuseError(error) };
  const reason = hasRefusal ? 'refusal' : reasonOf(choice);
  return judgedReply(completion, { text, toolCalls, usage: openaiUsage, reason, notes: notes.all });
}

/** Returns the message of a choice: its first object of these names, else the text of the older API of completions; `undefined` if it has none. */
function messageIn(choice: Fields, [first, other]: readonly [string, string], notes: Notes): Fields | undefined {
  const described = choice[first];
  if (isObject(described)) return described;
  const message = choice[other] ?? (typeof choice['text'] === 'string' ? { content: choice['text'] } : undefined);
  if (!isObject(message)) return undefined;
  notes.add('old_form');
  return message;
}

/** Returns the calls of a message or a delta: a list, or one call as the API had it before; [] if it has none. Another value is returned as it is. */
function callsIn({ tool_calls: calls, function_call: call }: Fields, notes: Notes): unknown {
  if ((calls ?? null) !== null || !isObject(call)) return calls ?? noCalls;
  notes.add('old_form');
  return [{ index: 0, function: call }];
}

/** Returns the reason to end of a choice: that of the provider behind a gateway if it states a failure, or a cut that the gateway does not. */
function reasonOf({ finish_reason: reason, native_finish_reason: native }: Fields): unknown {
  return finishOf(native) === 'failed' || outweighs(native, reason) ? native : reason;
}

/** Reports whether a reason to end stays although another one that only states the end accompanies or follows it. */
function outweighs(reason: unknown, other: unknown): boolean {
  const finish = finishOf(reason);
  return (finish === 'length' || finish === 'filtered' || finish === 'tool') && finishOf(other) === 'complete';
}

function readCall(call: unknown, notes: Notes): ToolCall | undefined {
  if (!isObject(call) || !isObject(call['function'])) return undefined;
  const { id = '' } = call;
  const { name, arguments: given = '' } = call['function'];
  if (typeof name !== 'string' || (typeof id !== 'string' && id !== null)) return undefined;
  const text = argumentsOf(given, notes);
  return text === undefined ? undefined : { id: id ?? '', name, arguments: text };
}

/** Returns arguments as JSON text; some services send their value. `undefined`: it is nested too deeply. */
function argumentsOf(given: unknown, notes: Notes): string | undefined {
  if (typeof given === 'string') return given;
  notes.add('arguments_value');
  return shallowText(given ?? {});
}

/** Reads the chunks of one completion. Only the first choice is the reply. */
export class ChunkReader implements EventReader {
  readonly end = 'a finish_reason';
  readonly replyText = new ReplyText();
  readonly notes = new Notes();
  readonly isEndedByDone = true;
  #id = '';
  #model: unknown;
  #usage: Fields | undefined;
  /** The latest reasons to end. */
  #reasons: Fields = {};
  #calls: CallParts | undefined;
  #hasEnded = false;
  #hasMessages = false;
  readonly #hasOneChoice: boolean;

  /** `hasOneChoice`: false if several choices were requested. */
  constructor(hasOneChoice = true) {
    this.#hasOneChoice = hasOneChoice;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get hasCalls(): boolean {
    return this.#calls !== undefined;
  }

  /** Whole messages may grow: the text of each depends on those before it. */
  get isSingular(): boolean {
    return this.#hasMessages;
  }

  take(chunk: Fields): EventContent | Verdict {
    const { id, choices } = chunk;
    if (typeof id === 'string' && id !== '' && id !== this.#id) this.#identify(id, chunk['model']);
    if (isObject(chunk['usage'])) this.#addUsage(chunk['usage']);
    if (!Array.isArray(choices)) {
      this.notes.add('no_choices');
      return 'other';
    }
    const choice: unknown = choices[0];
    if (choice === null) this.notes.add('no_choices');
    if (choice === undefined || choice === null) return 'other';
    return isObject(choice) ? this.#takeChoice(choice) : broken('a choice that is not an object');
  }

  repeat(event: RepeatedEvent): EventContent {
    event.addTo(this.replyText);
    return event.isEmpty ? 'other' : 'content';
  }

  /** Judges the completion that the chunks add up to. */
  reply(hasDone: boolean): Judged {
    const message = { role: 'assistant', content: this.replyText.text, tool_calls: this.#calls?.whole() };
    const judged = judgeCompletion(
      {
        id: this.#id,
        object: 'chat.completion',
        model: this.#model,
        choices: [{ index: 0, message, ...this.#reasons }],
        usage: this.#usage,
      },
      this.notes,
    );
    return 'reply' in judged && !hasDone ? { reply: { ...judged.reply, lacksDone: true } } : judged;
  }

  /** Returns the reported usage. It is final only after the end of the choice, because some services report the usage so far in every chunk. */
  spent(): SpentUsage | undefined {
    return spentIn({ usage: this.#usage, model: this.#model }, openaiUsage, this.hasEnded);
  }

  #identify(id: string, model: unknown): void {
    if (this.#id !== '') return this.notes.add('several_ids', `${this.#id}, then ${id}`);
    this.#id = id;
    this.#model = model;
  }

  /** The last usage with a number of tokens is the whole: gateways send parts of it, or none, in other chunks. */
  #addUsage(usage: Fields): void {
    const isWhole = typeof usage['completion_tokens'] === 'number' || typeof usage['prompt_tokens'] === 'number';
    if (isWhole || this.#usage === undefined) this.#usage = laterUsage(this.#usage, usage);
  }

  #takeChoice(choice: Fields): EventContent | Verdict {
    const { index = 0, delta = null } = choice;
    const error = errorIn(choice);
    if (error !== undefined) return refuseError(error);
    // Some services end with a choice without a delta.
    if (delta !== null && !isObject(delta)) return broken('a delta that is not an object');
    if (index !== 0) {
      // Other choices are not part of the reply.
      if (!this.#hasOneChoice) return 'other';
      this.notes.add('other_index');
    }
    const taken = this.#takeDelta(delta ?? this.#wholeMessage(choice));
    const instead = taken === 'other' ? (errorInstead(choice) ?? errorInstead(delta)) : undefined;
    if (instead !== undefined) return refuseError(instead);
    this.#takeReason(choice, taken !== 'other');
    return taken;
  }

  /** A reason before the last content is not the end. */
  #takeReason({ finish_reason: reason, native_finish_reason: native }: Fields, hasContent: boolean): void {
    const isReason = typeof reason === 'string' && reason !== '';
    if (hasContent && (isReason || this.#hasEnded)) this.notes.add('text_after_end');
    if (isReason && !this.#keepsReason(reason, hasContent))
      this.#reasons = { finish_reason: reason, native_finish_reason: native };
    if (isReason || hasContent) this.#hasEnded = isReason;
  }

  /** Gateways send an end of their own after that of the provider. */
  #keepsReason(reason: string, hasContent: boolean): boolean {
    const { finish_reason: earlier } = this.#reasons;
    if (earlier === undefined) return false;
    return finishOf(earlier) === 'failed' || (this.#hasEnded && !hasContent && outweighs(earlier, reason));
  }

  /** Returns what a choice without a delta adds: its text, or its message, which may have all text so far again. */
  #wholeMessage(choice: Fields): Fields {
    const message = messageIn(choice, ['delta', 'message'], this.notes) ?? {};
    const { text } = this.replyText;
    const { content } = message;
    this.#hasMessages ||= isObject(choice['message']);
    const isRepeated = this.#hasMessages && typeof content === 'string' && content.startsWith(text);
    return isRepeated ? { ...message, content: content.slice(text.length) } : message;
  }

  #takeDelta(delta: Fields): EventContent | Verdict {
    const { refusal } = delta;
    const calls = callsIn(delta, this.notes);
    const content = contentIn(delta, this.notes);
    if (content === undefined) return broken('content is neither a text, a list of parts nor null');
    if (!Array.isArray(calls)) return broken('tool_calls is not a list');
    const added = content.text + (typeof refusal === 'string' ? refusal : '');
    const hasCalls = calls.length > 0;
    this.replyText.add(added);
    if (hasCalls && !(this.#calls ??= new CallParts(this.notes)).take(calls))
      return broken('a part of a tool call is not an object, or its arguments are nested too deeply');
    if (added !== '' || hasCalls) return 'content';
    return content.hasReasoning || isText(delta['reasoning_content']) || isText(delta['reasoning'])
      ? 'reasoning'
      : 'other';
  }
}

const noCalls: readonly unknown[] = [];

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
