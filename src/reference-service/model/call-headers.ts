import type { IncomingHttpHeaders } from 'node:http';
import type { ResolvedModel } from '../../scenario/model-options.ts';
import type { CallStart } from '../../model-calls/model-observer.ts';

/** Returns the trace ids that the header fields of a call contain. */
export function tracesOf(
  headers: IncomingHttpHeaders,
  { header }: Pick<ResolvedModel, 'header'>,
): Pick<CallStart, 'traceId' | 'parentId' | 'headerTraceId'> {
  const traceId = traceIdIn(headers.traceparent);
  return {
    traceId,
    parentId: traceId && parentIdIn(String(headers.traceparent).toLowerCase(), traceId),
    headerTraceId: header === undefined ? undefined : traceIdIn(headers[header.toLowerCase()]),
  };
}

const parentIdIn = (value: string, traceId: string): string | undefined =>
  new RegExp(`${traceId}-([0-9a-f]{16})`).exec(value)?.[1];

/** Returns the name of a model; '' if it contains a key of the request, because an agent may confuse its settings. */
export function withoutKeys(model: string, headers: IncomingHttpHeaders): string {
  const given = [headers.authorization, headers['x-api-key'], headers['api-key'], headers['x-goog-api-key']];
  const keys = given.flatMap((value) => (typeof value === 'string' ? [value.replace(/^\w+ +/, '').trim()] : []));
  return keys.some((key) => key !== '' && (key.length < 8 ? model.trim() === key : model.includes(key))) ? '' : model;
}

/**
 * Returns the 32 digits of a trace id, in the form of `traceparent` or alone. A client that forwards the header twice, by
 * itself and by its instrumentation, sends a list: the first valid one counts.
 */
export function traceIdIn(value: string | readonly string[] | undefined): string | undefined {
  const ids = String(value)
    .split(',')
    .map((one) => /^\s*(?:[\da-f]{2}-)?([\da-f]{32})(?:-[\da-f]{16}-[\da-f]{2}(?:-.*)?)?\s*$/i.exec(one)?.[1]);
  return ids.find((id) => id !== undefined && !/^0+$/.test(id))?.toLowerCase();
}
