import { isObject } from '../../base/is-object.ts';
import { jsonIn } from '../../protocol/classify-whole.ts';
import { reservedFields } from '../../protocol/model-api/message-route.ts';
import type { ProtocolTarget } from '../../protocol/protocol.ts';
import { protocolNames, protocols, type ProtocolName } from '../../protocol/registry/registry.ts';
import { type RecognizedUrl, recognizeUrl } from '../../scenario/recognize-url.ts';
import { findCreatedId, leavesOf, valueIn, withValue, type JsonPath } from './find-places.ts';
import type { GivenApi, GivenRequest } from './given-api.ts';

/** The target of a known protocol, as its requests show it. */
export interface KnownApi extends Pick<RecognizedUrl, 'protocol' | 'baseUrl' | 'path' | 'messagesPath'> {
  readonly agentId: string | undefined;
  readonly stream: boolean;
  /** Other fields of `target`. */
  readonly target: Readonly<Record<string, unknown>>;
  /** First message of the user. */
  readonly message: string | undefined;
  readonly variableValues: Readonly<Record<string, unknown>> | undefined;
}

/** Recognizes a known protocol by the path and the body of a request. `url`: without secrets. */
export function recognizeApi({ message, creation, created }: GivenApi, url: URL): KnownApi | undefined {
  const headers = message.headers.map(([name]) => name);
  const recognized = recognizeUrl(url.href, { headers }) ?? recognizeBody(message, url);
  if (recognized === undefined) return undefined;
  const { protocol: name } = recognized;
  const { protocol } = protocols[name];
  if (protocol.transport !== undefined) return undefined;
  const { body } = message;
  const [own, streamed] = [ownBody(name, false), ownBody(name, true)];
  const stream = protocol.wholeOnly !== true && (protocol.streamsOnly === true || isStreamed(message, own, streamed));
  const places = stream ? streamed : own;
  const messageAt = placeOf(places.json, words.message) ?? [];
  const latest = latestAt(body, messageAt);
  if (messageAt.length === 0 || latest === undefined) return undefined;
  const last = leavesOf(latest).findLast(
    ({ path, value }) => typeof value === 'string' && (path.length === 0 || path.at(-1) === 'text'),
  );
  const agentAt = placeOf(places.json, words.agent);
  const agent = valueIn(body, agentAt);
  const systemAt = placeOf(places.json, words.system);
  const isInConversation = systemAt !== undefined && systemAt[0] === messageAt[0];
  const hasSystem = isInConversation && valueIn(body, [...systemAt.slice(0, -1), 'role']) !== 'user';
  const system = hasSystem ? valueIn(body, systemAt) : undefined;
  const variablesAt = placeOf(places.json, words.variable)?.slice(0, -1);
  const variables = valueIn(body, variablesAt);
  const taken = new Set([...reservedFields, messageAt[0], agentAt?.[0], variablesAt?.[0]]);
  const others = Object.entries(body).filter(
    ([key, value]) =>
      !taken.has(key) &&
      !(protocol.endOf !== undefined && valueIn(places.json, [key]) !== undefined) &&
      JSON.stringify(value) !== JSON.stringify(valueIn(places.json, [key])),
  );
  const hasFields = protocol.fixedMessages !== true && others.length > 0;
  const isSplit =
    protocol.agentsOnly === true && creation !== undefined && creation.url.pathname !== protocol.paths?.create;
  const createdAt = findCreatedId(created);
  return {
    ...recognized,
    agentId: recognized.agentId ?? (typeof agent === 'string' ? agent : undefined),
    stream,
    target: {
      ...(typeof system === 'string' && { instructions: system.replaceAll('{{', '\\{{') }),
      ...(hasFields && { messageBody: Object.fromEntries(others) }),
      ...(isSplit && {
        createSession: {
          path: creation.url.pathname.slice(new URL(recognized.baseUrl).pathname.replace(/\/$/, '').length),
          body: withAgent(creation.body, agent),
          ...(createdAt !== undefined && { sessionIdFrom: createdAt.join('.') }),
        },
      }),
    },
    message: last === undefined ? undefined : String(last.value),
    variableValues: isObject(variables) ? variables : undefined,
  };
}

function recognizeBody({ body }: GivenRequest, url: URL): RecognizedUrl | undefined {
  for (const protocol of protocolNames) {
    const path = protocols[protocol].protocol.endOf?.(url.pathname, body);
    if (path === undefined) continue;
    const baseUrl = url.origin + url.pathname.slice(0, url.pathname.length - path.length).replace(/\/$/, '');
    return { protocol, baseUrl, path, agentId: undefined, messagesPath: undefined };
  }
  return undefined;
}

const words = { agent: '@agent', message: '@message', system: '@system', variable: '@variable' } as const;

/** Returns a request of a protocol that shows where it writes its parts. */
function ownBody(name: ProtocolName, stream: boolean): { json: unknown; path: string } {
  const target: ProtocolTarget = {
    agentId: words.agent,
    baseUrl: 'http://localhost',
    auth: 'key',
    stream,
    messagesPath: null,
    messageBody: {},
    instructions: words.system,
    conversation: 'previous_response',
    createSession: { path: '/', body: {}, sessionIdFrom: 'id' },
  };
  const { fixedMessages, wholeOnly, streamsOnly } = protocols[name].protocol;
  const isStreamed = (stream && wholeOnly !== true) || streamsOnly === true;
  const variableValues = fixedMessages === true ? JSON.stringify({ name: words.variable }) : '';
  const { body, route } = protocols[name].protocol
    .open({ ...target, stream: isStreamed })
    .converse('session')
    .request({ message: words.message, variableValues });
  return { json: jsonIn(body), path: route.path };
}

const placeOf = (json: unknown, word: string): JsonPath | undefined =>
  leavesOf(json).find(({ value }) => value === word)?.path;

/** Returns the value at a place of a protocol, in the last item of each list; a text may stand for a list of parts. */
function latestAt(body: unknown, place: JsonPath): unknown {
  let at = body;
  for (const [index, key] of place.entries()) {
    if (typeof at === 'string' && index > 0) return at;
    at = Array.isArray(at) ? at.at(-1) : isObject(at) ? at[key] : undefined;
  }
  return at;
}

/** Reports whether a request asks for a streamed reply, by the parts in which such requests of the protocol differ. */
function isStreamed(
  { url, headers, body }: GivenRequest,
  own: { json: unknown; path: string },
  streamed: { json: unknown; path: string },
): boolean {
  const accepts = headers.some(([name, value]) => /^accept$/i.test(name) && value.includes('text/event-stream'));
  const ending = (path: string): string => /[\w-]*$/.exec(path.replace(/\?.*/, ''))?.[0] ?? '';
  const differing = Object.entries(isObject(streamed.json) ? streamed.json : {}).some(
    ([key, value]) => typeof value !== 'object' && valueIn(own.json, [key]) !== value && body[key] === value,
  );
  return (
    accepts ||
    differing ||
    (ending(own.path) !== ending(streamed.path) && ending(url.pathname) === ending(streamed.path))
  );
}

const withAgent = (body: unknown, agent: unknown): unknown =>
  leavesOf(body)
    .filter(({ value }) => typeof agent === 'string' && value === agent)
    .reduce((so, { path }) => withValue(so, path, '{{agentId}}'), body);
