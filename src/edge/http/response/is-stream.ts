import type { StreamFormat } from '../../../protocol/protocol.ts';
import { isSuccess, type ResponseHead } from './response-head.ts';

/** Whether a response is the stream that was asked for, by its status and its content type. */
export function isStream({ status, contentType }: ResponseHead, framing: StreamFormat['framing']): boolean {
  if (!isSuccess(status)) return false;
  const [type = ''] = (contentType ?? '').toLowerCase().split(';');
  return contentTypes[framing].includes(type.trim());
}

/** JSON lines have several names; `''` is a 200 whose type is `application/json`, or that has none. */
const contentTypes: Readonly<Record<StreamFormat['framing'], readonly string[]>> = {
  sse: ['text/event-stream'],
  'json-lines': [
    'application/x-ndjson',
    'application/ndjson',
    'application/jsonl',
    'application/x-jsonlines',
    'application/json-lines',
    'application/stream+json',
    '',
  ],
};
