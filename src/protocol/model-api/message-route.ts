import type { HeaderFields, ProtocolTarget, Route } from '../protocol.ts';
import { EventStream, type EventReader } from './event-stream.ts';

/** The path and headers of an API's messages, and the reader of its events. */
interface MessageRoute {
  readonly path: string;
  /** Beginnings of the path that are not repeated below a base URL that ends in them. */
  readonly starts?: readonly string[];
  readonly headers?: HeaderFields;
  readonly begin: () => EventReader;
  /** True if replies may be one JSON array in place of server-sent events. */
  readonly mayBeArray?: true;
}

/** Returns the route of messages to a target. */
export function messageRoute(
  target: ProtocolTarget,
  { path, starts, headers, begin, mayBeArray }: MessageRoute,
): Route {
  const { baseUrl, messagesPath, stream } = target;
  return {
    operation: 'message',
    method: 'POST',
    path: withModel(messagesPath ?? pathBelow(baseUrl, path, starts), target),
    headers: {
      'Content-Type': 'application/json',
      Accept: stream ? 'text/event-stream' : 'application/json',
      ...headers,
    },
    stream: stream
      ? { framing: 'sse', isStated: true, isJson: true, mayBeArray, begin: () => new EventStream(begin()) }
      : undefined,
  };
}

/** Base path of OpenAI's dialect at another vendor, which has a version already: `/v1beta/openai`. */
export const versionedDialect = /\/v\d\w*\/openai$/;

/** Returns a path below a base URL: its beginning is not repeated if the base URL already ends in it. */
export function pathBelow(baseUrl: string | null, path: string, starts: readonly string[] = ['/v1']): string {
  const prefix = baseUrl === null ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');
  const isIn = (start: string): boolean => prefix.endsWith(start) || (start === '/v1' && versionedDialect.test(prefix));
  const repeated = starts.find((start) => path.startsWith(`${start}/`) && isIn(start)) ?? '';
  return path.slice(repeated.length);
}

/** Puts the model into a path with `{model}`. */
export function withModel(path: string, { agentId }: Pick<ProtocolTarget, 'agentId'>): string {
  return path.replaceAll('{model}', () => encodeURIComponent(agentId));
}

/** Fields of a message that the named protocols write themselves. */
export const reservedFields = ['model', 'messages', 'input', 'stream', 'previous_response_id', 'conversation'];

/** Returns the beginning of every body, without its `}`: the model, and the scenario's own fields over the protocol's. */
export function fixedFields(
  { agentId, stream, messageBody }: ProtocolTarget,
  ours: Readonly<Record<string, unknown>>,
): string {
  const theirs = Object.entries(messageBody).filter(([name]) => !reservedFields.includes(name));
  const fields = { model: agentId, ...(stream ? { stream } : {}), ...ours, ...Object.fromEntries(theirs) };
  return JSON.stringify(fields).slice(0, -1);
}
