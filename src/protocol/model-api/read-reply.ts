import { isObject } from '../../base/is-object.ts';
import { classifyWhole, jsonIn, refused, withNote, type Judged, type WholeRules } from '../classify-whole.ts';
import { finishOf } from '../finish.ts';
import type { Note } from '../notes.ts';
import type { Received, Reply, SpentUsage, ToolCall, Usage, Verdict } from '../protocol.ts';
import { errorInstead, refuseError, refuseResponse } from './api-error.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Returns the reader of non-streamed replies. */
export function readWhole(judge: (body: Fields) => Judged): (received: Received) => Verdict {
  const rules = { welcome, refuse: refuseResponse, judge, instead: refuseInstead };
  return (received) => classifyWhole(received, rules);
}

/** Returns the verdict on a success without a text of a reply that has a text of an error. */
export function refuseInstead(body: Fields): Verdict | undefined {
  const error = errorInstead(body);
  return error && refuseError(error);
}

/** Reads a reply that was requested as a stream: a non-streamed one is an error, or breaks the contract. */
export function readStreamed(received: Received, refuse: WholeRules['refuse'] = refuseResponse): Verdict {
  if (received.stream !== undefined) return withTypeNote(received.stream.conclude(received), received.contentType);
  const verdict = classifyWhole(received, { ...wholeInsteadOfStream, refuse });
  const { contentType } = received;
  const isJson =
    contentType === undefined || (verdict.outcome !== 'malformed' && verdict.outcome !== 'contract_broken');
  return isJson ? verdict : refused('malformed', `a reply of content type ${contentType} instead of a stream`);
}

/** Notes the content type of a reply whose stream only its bytes show. */
function withTypeNote(verdict: Verdict, contentType = 'application/json, or none'): Verdict {
  return streamTypes.test(contentType) ? verdict : withNote(verdict, { rule: 'content_type', detail: contentType });
}

const streamTypes = /^(?:text\/event-stream|application\/vnd\.amazon\.eventstream)\b/i;

const welcome = [200];

const wholeInsteadOfStream = {
  welcome,
  instead: refuseInstead,
  judge: () => ({ broken: 'a non-streamed reply instead of a stream' }),
};

/** Returns a reply, unless its reason to end is a failure. `usage`: the reader of the object `usage`. */
export function judgedReply(
  data: Fields,
  read: {
    text: string;
    toolCalls: readonly ToolCall[];
    usage: (usage: Fields) => Usage;
    /** The reason to end, as stated. */
    reason: unknown;
    notes?: readonly Note[] | undefined;
  },
): Judged {
  const { id, usage } = data;
  return judgeFinish(read.reason, {
    text: read.text,
    id: textOf(id),
    data,
    toolCalls: read.toolCalls.length === 0 ? undefined : read.toolCalls,
    usage: isObject(usage) ? read.usage(usage) : undefined,
    model: textOf(data['model']),
    notes: read.notes,
  });
}

/** Judges a reply by the reason that it states for its end: a failure is a failed attempt. */
export function judgeFinish(reason: unknown, reply: Reply): Judged {
  const finish = finishOf(reason);
  if (finish !== 'failed') return { reply: { ...reply, finish, notes: notesOnCalls(reply) } };
  const stated = typeof reason === 'string' ? reason : '';
  return { refusal: refused('provider_error', `the reply ended with the reason '${stated}'`) };
}

/** Returns the notes of a reply, with one on calls whose arguments are cut off or otherwise not JSON. */
function notesOnCalls({ toolCalls = [], notes }: Reply): readonly Note[] | undefined {
  const broken = toolCalls.find(({ arguments: text }) => text !== '' && jsonIn(text) === undefined);
  return broken === undefined ? notes : [...(notes ?? []), { rule: 'arguments_cut', detail: broken.arguments }];
}

/** Returns the usage that the received events reported; `undefined` if there is none. `seen`: the object with the usage and the name of the model. */
export function spentIn(seen: Fields, read: (usage: Fields) => Usage, isFinal: boolean): SpentUsage | undefined {
  const { usage, model } = seen;
  return isObject(usage) ? { usage: read(usage), model: textOf(model), isFinal } : undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
