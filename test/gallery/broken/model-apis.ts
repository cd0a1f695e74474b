import type { ApiRequest, ApiSpoiling } from '../../support/spoiling-api.ts';
import { at, inBack, inReply, isMade, lacks, membersOf, put, refusing, type Breakage, type Fields } from './spoil.ts';

/** Loses the message that follows one whose client disconnected. */
function breakingAfterLeaving(): ApiSpoiling {
  let limited = 0;
  const isLong = ({ body }: ApiRequest): boolean => body.includes('count from one');
  return {
    onWay: (asked) => {
      if (isLong(asked) && !isLimited(asked)) limited++;
      const isNext = limited > 0 && !isLong(asked);
      if (isNext) limited = -1000;
      return isNext
        ? {
            status: 400,
            contentType: 'application/json',
            body: { type: 'error', error: { type: 'busy', message: 'Busy' } },
          }
        : undefined;
    },
  };
}

/** Members of whole replies and of refusals. */
export function shared(kind: string, finish: (reply: Fields, value: string) => unknown, cutOff: string): Breakage[] {
  return [
    ['status', () => inBack(put(201))],
    ['json', () => inBack((back) => (back.body = 'Fine, thanks.'))],
    ['content-type', () => inBack((back) => (back.contentType = 'text/html'))],
    [kind, () => inReply((reply) => (reply[kind] = 'answer'))],
    ['id', () => inReply((reply) => (reply['id'] = ''))],
    ['id-distinct', () => inReply((reply) => (reply['id'] = 'always'))],
    ['model', () => inReply((reply) => (reply['model'] = null))],
    ['finish', () => inReply((reply, asked) => !isLimited(asked) && finish(reply, 'done'))],
    ['limit', () => inReply((reply, asked) => isLimited(asked) && finish(reply, cutOff))],
    ['usage', () => inReply((reply) => (reply['usage'] = { tokens: 3 }))],
    ['key-wrong', () => refusing(isMade, put(403))],
    ['key-missing', () => refusing(({ hasKey }) => !hasKey, put(400))],
    ['model-unknown', () => refusing((asked) => isUnknown(asked) && asked.fields['stream'] !== true, put(422))],
    ['not-json', () => refusing(({ body }) => !body.endsWith('}'), put(422))],
    ['model-missing', () => refusing(lacks('model'), put(422))],
    [
      'stream-refusal',
      () => ({
        onWay: (asked) =>
          isUnknown(asked) && asked.fields['stream'] === true
            ? { status: 200, contentType: 'text/event-stream', body: 'data: {"error":{"message":"No such model"}}\n\n' }
            : undefined,
      }),
    ],
    ['error-shape', () => refusing(isUnknown, (back) => (back.body = { error: 'No such model' }))],
    ['stream-type', () => ({ streamType: 'text/plain' })],
    ['stream-whole', () => ({ end: 'break' })],
    ['stream-unbuffered', () => ({ gathers: true })],
    ['leaving', breakingAfterLeaving],
    ['stream-begins', () => ({ onEvent: () => [] })],
  ];
}

/** Faults common to both OpenAI APIs. */
export const openai: Breakage[] = [['usage-total', () => inReply((reply) => (at(reply, 'usage')['total_tokens'] = 1))]];

/** Changes the event with the finish reason, either of limited replies or of the others. */
export function inEnding(
  whose: 'limited' | 'others',
  picks: (fields: Fields) => boolean,
  spoil: (fields: Fields) => void,
): ApiSpoiling {
  return {
    onEvent: (event, asked) => {
      const fields = membersOf(event);
      if (isLimited(asked) === (whose === 'limited') && picks(fields)) spoil(fields);
      return [event];
    },
  };
}

/** Reports whether a request limits the tokens of its reply. */
function isLimited({ fields }: ApiRequest): boolean {
  return [fields['max_tokens'], fields['max_output_tokens']].some((limit) => limit === 3 || limit === 16);
}

/** Reports whether a request names the model that no service has. */
function isUnknown({ fields }: ApiRequest): boolean {
  return String(fields['model']).startsWith('chat-load-check');
}

export function isStreamed({ fields }: ApiRequest): boolean {
  return fields['stream'] === true;
}
