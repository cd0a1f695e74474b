import { isObject } from '../../base/is-object.ts';
import { classifyWhole, refused, type Judged, type WholeRules } from '../classify-whole.ts';
import type { Received, Reply, SpentUsage, ToolCall, Usage, Verdict } from '../protocol.ts';
import { refuseResponse } from './api-error.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Returns the reader of non-streamed replies. */
export function readWhole(judge: (body: Fields) => Judged): (received: Received) => Verdict {
  const rules = { welcome, refuse: refuseResponse, judge };
  return (received) => classifyWhole(received, rules);
}

/** Reads a reply that was requested as a stream: a non-streamed one is an error, or breaks the contract. */
export function readStreamed(received: Received, refuse: WholeRules['refuse'] = refuseResponse): Verdict {
  if (received.stream !== undefined) return received.stream.conclude(received);
  const verdict = classifyWhole(received, { ...wholeInsteadOfStream, refuse });
  const { contentType } = received;
  const isJson =
    contentType === undefined || (verdict.outcome !== 'malformed' && verdict.outcome !== 'contract_broken');
  return isJson ? verdict : refused('malformed', `a reply of content type ${contentType} instead of a stream`);
}

const welcome = [200];

const wholeInsteadOfStream = {
  welcome,
  judge: () => ({ broken: 'a non-streamed reply instead of a stream' }),
};

/** Returns a conforming reply. `usage`: the reader of the object `usage`. */
export function judgedReply(
  data: Fields,
  read: { text: string; toolCalls: readonly ToolCall[]; usage: (usage: Fields) => Usage },
): { reply: Reply } {
  const { id, usage } = data;
  return {
    reply: {
      text: read.text,
      id: textOf(id),
      data,
      toolCalls: read.toolCalls.length === 0 ? undefined : read.toolCalls,
      usage: isObject(usage) ? read.usage(usage) : undefined,
      model: textOf(data['model']),
    },
  };
}

/** Returns the usage that the received events reported; `undefined` if there is none. `seen`: the object with the usage and the name of the model. */
export function spentIn(seen: Fields, read: (usage: Fields) => Usage, isFinal: boolean): SpentUsage | undefined {
  const { usage, model } = seen;
  return isObject(usage) ? { usage: read(usage), model: textOf(model), isFinal } : undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
