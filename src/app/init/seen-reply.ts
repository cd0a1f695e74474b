import type { ContactResponse } from '../../conformance/contact/contact.ts';
import { jsonIn } from '../../protocol/classify-whole.ts';
import { isHtmlPage } from '../../protocol/defined/plain-text.ts';
import { isObject } from '../../base/is-object.ts';
import { errorMessage } from '../../protocol/error-message.ts';
import { errorIn, errorInEvent, errorInstead } from '../../protocol/model-api/api-error.ts';
import { findReply, valueIn } from './find-places.ts';
import type { SeenEvent, SeenReply } from './given-api.ts';

/**
 * Reads a successful response as JSON, as a stream or as text, by its content type; `undefined`: none of them. `isStream`:
 * text is known to be streamed.
 */
export function seenReply(response: ContactResponse, isStream = false): SeenReply | undefined {
  const { status, contentType, body } = response;
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
  // Frameworks declare a bare text as HTML unless a type is stated.
  if (isHtmlPage(body) || !/^text\//i.test(contentType)) return undefined;
  return isStream || arrivesInParts(response)
    ? { format: 'text', events: [{ type: '', data: body, json: undefined }] }
    : { text: body };
}

/** Reports whether a body is sent as it is made: in chunks, or until the connection ends, over a noticeable time. */
function arrivesInParts({ fields, firstByteMs, totalMs }: ContactResponse): boolean {
  const has = (field: string): boolean => fields.some(([name]) => name.toLowerCase() === field);
  if (has('transfer-encoding')) return true;
  return !has('content-length') && firstByteMs !== undefined && totalMs - firstByteMs >= minStreamMs;
}

/** Shortest time from the first byte to the end of a body that is sent in several parts. */
const minStreamMs = 10;

function eventIn(block: string): SeenEvent[] {
  const valuesOf = (field: string): string[] =>
    block
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith(`${field}:`) ? [line.slice(field.length + 1).replace(/^ /, '')] : []));
  const data = valuesOf('data').join('\n');
  const [type = ''] = valuesOf('event');
  return data.trim() === '' && type === '' ? [] : [{ type, data, json: jsonIn(data) }];
}

/** A reply, unless it is JSON of an error, and the first error that it states. */
export interface Trial {
  readonly reply: SeenReply | undefined;
  readonly error: string | undefined;
}

/** Finds the errors of a reply: an error shows no place of a text, and no usual end. */
export function readTrial(seen: SeenReply): Trial {
  if ('json' in seen) {
    const instead = errorInstead(seen.json);
    const text = valueIn(seen.json, findReply(seen.json));
    const error = errorIn(seen.json) ?? (text === undefined || text === instead?.message ? instead : undefined);
    return error === undefined ? { reply: seen, error } : { reply: undefined, error: wordsOf(error.message) };
  }
  if (!('events' in seen)) return { reply: seen, error: undefined };
  const errors = seen.events.map(errorOf);
  const error = errors.find((each) => each !== undefined);
  if (error === undefined) return { reply: seen, error };
  const events = errors.includes(undefined) ? seen.events : [];
  return { reply: { ...seen, events, isCut: true }, error };
}

/** Returns the message of an event that is an error by its kind or by its fields. */
function errorOf({ json, type }: SeenEvent): string | undefined {
  const stated = errorInEvent(json, type);
  if (stated !== undefined) return wordsOf(stated.message || errorMessage(json));
  const fields = isObject(json) ? ['event', 'type', 'kind', 'message_type'].map((name) => json[name]) : [];
  const isError = [type, ...fields].some((kind) => typeof kind === 'string' && /^error|error$/i.test(kind));
  return isError ? wordsOf(errorMessage(json)) : undefined;
}

const wordsOf = (message: string): string =>
  message === '' ? 'an error' : `an error: ${errorMessage(undefined, message).slice(0, 100)}`;
