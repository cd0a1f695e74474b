import type { ErrorClass } from '../outcome.ts';
import type { StreamEvent, ToolCall, Usage } from '../protocol.ts';
import { isTerminator } from '../terminator.ts';
import { finderOf, type Finder } from './author-error.ts';
import type { ApiDefinition, EventPath, ReplyDefinition, StreamDefinition } from './definition.ts';
import { errorClass, errorReader } from './judge-response.ts';
import { itself } from './plain-text.ts';
import { modelReader, toolReader, usageReader } from './read-reply.ts';

/** Reports whether the data of a stream is text. */
export function isTextual({ format, data }: Pick<StreamDefinition, 'format' | 'data'>): boolean {
  return format === 'text' || data === 'text';
}

export function never(): boolean {
  return false;
}

/** Values of events, for all streams of a target. */
export interface StreamRules {
  text: Finder;
  reasoning: Finder | undefined;
  id: Finder | undefined;
  session: Finder | undefined;
  usage: (event: unknown) => Usage | undefined;
  model: ReturnType<typeof modelReader>;
  tools: (event: unknown) => readonly ToolCall[] | undefined;
  /** The reason of the end; `undefined`: the definition names no place of one. */
  finish: Finder | undefined;
  isEnd: (event: StreamEvent, data: unknown) => boolean;
  /** Type of an event that ends the reply, even without data. */
  endType: string | undefined;
  /** True if the complete response ends the reply. */
  endsByClose: boolean;
  error: (data: unknown, type: string) => ErrorClass | undefined;
  /** True if a function of the author decides which events are errors. */
  statesErrors: boolean;
}

/** Returns the rules of events; `at`: path of their definition. */
export function streamRules(
  definition: Pick<ApiDefinition, 'reply' | 'errors'>,
  stream: Omit<StreamDefinition, 'format'> & Partial<Pick<StreamDefinition, 'format'>>,
  at = 'stream',
): StreamRules {
  const { format = 'json-lines', end = 'close' } = stream;
  const reply: Partial<ReplyDefinition> = definition.reply ?? {};
  const own = (field: 'text' | 'id' | 'sessionId' | 'usage' | 'model' | 'toolCalls' | 'finish'): string =>
    stream[field] === undefined ? `reply.${field}` : `${at}.${field}`;
  const maybe = (name: string, path: EventPath | undefined): Finder | undefined =>
    path === undefined ? undefined : finderOf(name, path);
  return {
    text:
      isTextual({ format, data: stream.data }) && stream.text === undefined
        ? itself
        : finderOf(own('text'), stream.text ?? reply.text ?? ''),
    reasoning: maybe(`${at}.reasoning`, stream.reasoning),
    id: maybe(own('id'), stream.id ?? reply.id),
    session: maybe(own('sessionId'), stream.sessionId ?? reply.sessionId),
    usage: usageReader(own('usage'), stream.usage ?? reply.usage),
    model: modelReader(own('model'), stream.model ?? reply.model),
    tools: toolReader(own('toolCalls'), stream.toolCalls ?? reply.toolCalls),
    finish: maybe(own('finish'), stream.finish ?? reply.finish),
    isEnd: endOf(end, `${at}.end`),
    endType: typeof end === 'object' ? end.event : undefined,
    endsByClose: end === 'close',
    error: errorOf(definition, stream.error, `${at}.error`),
    statesErrors: typeof stream.error === 'function',
  };
}

const done = '[DONE]';

function endOf(end: NonNullable<StreamDefinition['end']>, name: string): StreamRules['isEnd'] {
  if (end === 'close') return never;
  if (end === done) return (event) => isTerminator(event.text());
  if (typeof end === 'object') return (event) => event.type === end.event;
  const finder = finderOf(name, end);
  return ({ type }, data) => data !== undefined && finder.find(data, { type }) === true;
}

function errorOf(
  definition: Pick<ApiDefinition, 'errors'>,
  error: EventPath | undefined,
  name: string,
): StreamRules['error'] {
  if (error === undefined) return () => undefined;
  const finder = finderOf(name, error);
  const classOf = errorReader(definition);
  return (data, type) => {
    const found = finder.find(data, { type });
    if (found === undefined || found === null || found === false) return undefined;
    if (typeof error === 'function' && found !== true) return errorClass(name, found);
    return classOf(200, data) ?? 'server_error';
  };
}
