import type { ContactResponse } from '../../conformance/contact/contact.ts';
import { jsonIn } from '../../protocol/classify-whole.ts';
import { isHtmlPage } from '../../protocol/defined/plain-text.ts';
import type { SeenEvent, SeenReply } from './given-api.ts';

/** Reads a successful response as JSON, as a stream or as text, by its content type; `undefined`: none of them. */
export function seenReply({ status, contentType, body, fields }: ContactResponse): SeenReply | undefined {
  if (status < 200 || status > 299) return undefined;
  if (/event-stream/i.test(contentType)) return { format: 'sse', events: body.split(/\r?\n\r?\n/).flatMap(eventIn) };
  if (/ndjson|jsonl|json-?lines/i.test(contentType))
    return { format: 'json-lines', events: body.split('\n').flatMap((line) => eventIn(`data: ${line}`)) };
  const json = jsonIn(body);
  if (json !== undefined) return { json };
  const lines = body.split('\n').filter((line) => line.trim() !== '');
  // Some services serve lines as `application/json`.
  if (lines.length > 1 && lines.every((line) => jsonIn(line) !== undefined))
    return { format: 'json-lines', events: lines.flatMap((line) => eventIn(`data: ${line}`)) };
  if (isHtmlPage(body) || !/^text\/(?!html)/i.test(contentType)) return undefined;
  const isChunked = fields.some(([name]) => /^transfer-encoding$/i.test(name));
  return isChunked ? { format: 'text', events: [{ type: '', data: body, json: undefined }] } : { text: body };
}

function eventIn(block: string): SeenEvent[] {
  const valuesOf = (field: string): string[] =>
    block
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith(`${field}:`) ? [line.slice(field.length + 1).replace(/^ /, '')] : []));
  const data = valuesOf('data').join('\n');
  const [type = ''] = valuesOf('event');
  return data.trim() === '' && type === '' ? [] : [{ type, data, json: jsonIn(data) }];
}
