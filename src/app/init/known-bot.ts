import { isObject } from '../../base/is-object.ts';
import { findConversation, findMessage, findSentSession, leavesOf, valueIn, type JsonPath } from './find-places.ts';
import type { GivenApi, GivenRequest } from './given-api.ts';
import { Code, literal } from './literal.ts';
import type { OwnApi } from './own-definition.ts';
import { withConversation } from './request-code.ts';
import type { Recipe, RequestShape } from './recipes/recipe.ts';
import { recipes } from './recipes/registry.ts';

/** A bot that is recognized by its requests. */
export interface KnownBot {
  readonly recipe: Recipe;
  readonly baseUrl: string;
  readonly agentId: string | undefined;
  readonly stream: boolean;
  readonly messageAt: JsonPath;
  readonly isAssumed: boolean;
  /** Request of a message without the parts of its URL that the definition writes. */
  readonly plain: GivenRequest;
  /** True if the path of messages ends with a slash, which some services require. */
  readonly isSlashed: boolean;
}

/** Recognizes a known bot by the paths and bodies of its requests. */
export function recognizeBot(api: GivenApi): KnownBot | undefined {
  for (const recipe of recipes) {
    const found = recognizeAs(recipe, api);
    if (found !== undefined) return found;
  }
  return undefined;
}

function recognizeAs(recipe: Recipe, { message, creation, reply, stream }: GivenApi): KnownBot | undefined {
  const { body, url } = message;
  const sent = matchOf(message, recipe.message);
  const created = creation && recipe.creation && matchOf(creation, recipe.creation);
  const isOther = creation === undefined ? recipe.needsCreation === true : created?.baseUrl !== sent?.baseUrl;
  if (sent === undefined || isOther) return undefined;
  const messageAt = recipe.messageAt?.split('.') ?? findMessage(body);
  if (messageAt === undefined || typeof valueIn(body, messageAt) !== 'string') return undefined;
  const inBody = valueIn(body, recipe.agentAt?.split('.'));
  const plainUrl = new URL(url.origin);
  const seen = recipe.replyKey === undefined ? undefined : reply;
  const isForeign = seen !== undefined && 'json' in seen && valueIn(seen.json, [recipe.replyKey ?? '']) === undefined;
  if (isForeign) return undefined;
  return {
    recipe,
    baseUrl: sent.baseUrl,
    agentId: typeof inBody === 'string' ? inBody : (created?.agentId ?? sent.agentId),
    stream:
      (stream === true && recipe.streamed !== undefined) ||
      (seen === undefined ? recipe.streams(body, url.pathname) : 'events' in seen),
    messageAt,
    isAssumed: recipe.replyKey !== undefined && reply === undefined,
    isSlashed: url.pathname.endsWith('/'),
    plain: {
      ...message,
      url: plainUrl,
      ...(recipe.usesKeyOfCreation === true && creation !== undefined && { headers: creation.headers }),
    },
  };
}

/** Returns the base URL and the agent of a request of this form. */
function matchOf({ method, url, body }: GivenRequest, shape: RequestShape) {
  const { keys, query = [], accepts } = shape;
  const isAlike =
    method === 'POST' &&
    keys.every((key) => Object.hasOwn(body, key)) &&
    [...url.searchParams.keys()].every((name) => query.includes(name)) &&
    accepts?.(body) !== false;
  if (!isAlike) return undefined;
  for (const path of shape.paths) {
    const pattern = path.split('/').slice(1);
    const segments = url.pathname.replace(/\/$/, '').split('/');
    const end = segments.slice(-pattern.length);
    const before = segments.slice(0, -pattern.length).join('/');
    if (segments.length <= pattern.length || !pattern.every((part, at) => isSegment(part, end[at] ?? ''))) continue;
    const agent = end[pattern.indexOf('{agentId}')];
    return { baseUrl: url.origin + before, agentId: agent === undefined ? undefined : decodeURIComponent(agent) };
  }
  return undefined;
}

const isSegment = (pattern: string, segment: string): boolean =>
  pattern === '*' || pattern === '{agentId}' ? segment !== '' : segment === pattern;

/** Returns the definition of a bot. `bodies`: of its requests, without secrets. */
export function defineBot(
  { recipe, baseUrl, agentId, stream, messageAt, isAssumed, isSlashed }: KnownBot,
  { body, creationBody }: { body: GivenRequest['body']; creationBody: GivenRequest['body'] | undefined },
): OwnApi {
  const text = valueIn(body, messageAt);
  const plain = recipeDefinition(recipe, { body, creationBody });
  const definition = isSlashed ? plain.replace(/(?<=^ {2}message: \{\s+path: '[^']*)'/m, "/'") : plain;
  const session = sessionAt(recipe, body);
  const choice = definition.includes("sessionId: '{{uuid}}'") ? ', a new id per session' : '';
  return {
    text: `/** ${recipe.title}: ${recipe.docs} */\n${definition.replace(/^defineProtocol/m, 'const ownApi = defineProtocol')};\n`,
    baseUrl,
    agentId,
    stream,
    chosen: [
      ['message', `body.${messageAt.join('.')}`],
      ...(session === undefined ? [] : [['session', `body.${session.join('.')}${choice}`] as const]),
      ['reply', stream ? 'streamed' : 'not streamed'],
    ],
    message: typeof text === 'string' ? text : undefined,
    isAssumed,
    choosesIds: false,
  };
}

interface Bodies {
  readonly body: GivenRequest['body'];
  readonly creationBody?: GivenRequest['body'] | undefined;
}

/** Returns the definition of a recipe for requests with these bodies. */
export function recipeDefinition(recipe: Recipe, { body, creationBody }: Bodies): string {
  const { computed } = recipe;
  const list = findConversation(body);
  const messageAt = recipe.messageAt?.split('.') ?? findMessage(body) ?? [];
  const session = sessionAt(recipe, body);
  const keepsHistory = isConversation(recipe) || (recipe.mayKeepHistory === true && session === undefined);
  const withMessage =
    list === undefined || !keepsHistory
      ? placed(body, messageAt, new Code('message'))
      : withConversation(body, list, messageAt);
  const withSession = session === undefined ? withMessage : placed(withMessage, session, new Code('sessionId'));
  const whole = Object.entries(computed).reduce<unknown>(
    (so, [path, code]) => placed(so, path.split('.'), new Code(code)),
    withSession,
  );
  const codes = leavesOf(whole).flatMap(({ value }) => (value instanceof Code ? [value.text] : []));
  const words = new Set(codes.join(' ').split(/[^\w$]+/));
  const names = ['agentId', 'sessionId', 'message', 'messages', 'stream'].filter((name) => words.has(name));
  const creation = creationBody !== undefined && Object.keys(creationBody).length > 0 ? creationBody : undefined;
  return recipe.definition(
    `({ ${names.join(', ')} }) => (${literal(whole, '    ')})`,
    literal(creation ?? recipe.creationBody ?? {}, '  '),
  );
}

/** Returns the place of the session's id in the body. */
function sessionAt({ computed }: Recipe, body: unknown): JsonPath | undefined {
  const own = Object.entries(computed).find(([, code]) => code === 'sessionId')?.[0];
  return own?.split('.') ?? findSentSession(body);
}

/** Reports whether the client keeps the history. */
const isConversation = ({ definition }: Recipe): boolean => definition('', '').includes("history: 'client'");

/** Returns a copy of a JSON document with a value at a path, which is created if it is missing. */
function placed(json: unknown, [key, ...rest]: JsonPath, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(json))
    return json.map((item: unknown, at) => (String(at) === String(key) ? placed(item, rest, value) : item));
  const fields = isObject(json) && !(json instanceof Code) ? json : {};
  return { ...fields, [key]: placed(fields[key], rest, value) };
}
