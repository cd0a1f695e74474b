import { parse } from 'yaml';
import { messageOf } from '../../base/errors.ts';
import { isObject, valueAt } from '../../base/is-object.ts';
import { isShallow } from '../../base/json.ts';
import { findMessage, isMessageName, isSessionName, leavesOf } from './find-places.ts';
import { inexact, inexactHint, type GivenApi, type GivenRequest } from './given-api.ts';
import { keyVariable } from './environment-references.ts';
import { exampleOf, listIn, objectIn, refusal, resolved, statedIn, textIn, type Json } from './openapi-example.ts';

interface Chosen {
  /** Base URL in place of the servers. */
  url?: string | undefined;
  operation?: string | undefined;
}

interface Operation {
  id: string;
  path: string;
  /** Operation, with the parameters of its path. */
  json: Json;
  /** Example of the body; `undefined`: no JSON body. */
  body: unknown;
}

/**
 * Reads an OpenAPI 3 description (JSON or YAML): the operation that sends a message, an example of its body and of its
 * reply by their schemas, and its security schemes as references to variables. Throws a usage error.
 */
export function readOpenapi(source: string, { url, operation }: Chosen): GivenApi {
  const document = parseDocument(source);
  const operations = operationsOf(document);
  const message = chooseOperation(operations, operation);
  const base = baseUrlOf(document, url);
  const hasCredentials = base.username !== '' || base.password !== '';
  [base.username, base.password] = ['', ''];
  const parent = creationPathOf(message.path);
  const creator = operations.find(({ path }) => path === parent);
  if (creator === undefined && parent !== undefined)
    throw refusal(
      `${message.path} needs a session, and no POST ${parent} creates one`,
      'Complete the definition that chat-load init --protocol own writes.',
    );
  const request = (of: Operation): GivenRequest => requestOf(document, of, base);
  const reply = exampleReply(document, message);
  return {
    message: request(message),
    creation: creator && request(creator),
    reply: reply === undefined ? undefined : { json: reply, isExample: true },
    created: creator && (exampleReply(document, creator) ?? {}),
    notes: [
      `the operation is ${message.id} (POST ${message.path})`,
      ...(hasCredentials ? ['the user and the password of the server are not taken over: set target.auth'] : []),
    ],
  };
}

/** Returns the part of a path before the id of a session. */
function creationPathOf(path: string): string | undefined {
  return [...path.matchAll(/\/\{([^}]+)\}/g)]
    .map(({ index, 1: name }) => ({ parent: path.slice(0, index), name }))
    .find(({ parent, name }) => isSessionId(parent, name))?.parent;
}

const isSessionId = (parent: string, name = ''): boolean =>
  isSessionName(name) || (/^(?:uu)?id$/i.test(name) && isSessionName(parent.split('/').at(-1)?.replace(/s$/, '')));

function parseDocument(source: string): Json {
  let document: unknown;
  try {
    // JSON is YAML. No aliases are expanded without limit.
    document = parse(source, numberOf, { maxAliasCount: 100, logLevel: 'error', intAsBigInt: true });
  } catch (thrown) {
    throw refusal(
      `the file is neither JSON nor YAML (${messageOf(thrown).split('\n')[0] ?? ''})`,
      'Name an OpenAPI 3 description.',
      thrown,
    );
  }
  if (isObject(document) && isShallow(document) && /^3\./.test(String(document['openapi']))) return document;
  throw isObject(document) && 'swagger' in document
    ? refusal(
        'the file is a Swagger 2 description, and OpenAPI 3 is needed',
        'Convert it, for example with npx swagger2openapi FILE --outfile openapi.json.',
      )
    : refusal('the file is not an OpenAPI 3 description', 'FastAPI and many frameworks serve theirs at /openapi.json.');
}

/** Leaves only those integers as they are that a number would change. */
const numberOf = (_: unknown, value: unknown): unknown =>
  typeof value === 'bigint' && BigInt(Number(value)) === value ? Number(value) : value;

function operationsOf(document: Json): Operation[] {
  return Object.entries(objectIn(document['paths'])).flatMap(([path, item]): Operation[] => {
    const shared = objectIn(resolved(document, item));
    const post = shared['post'];
    if (!isObject(post)) return [];
    const media = jsonMedia(objectIn(resolved(document, post['requestBody']))['content']);
    const parameters = [...listIn(post['parameters']), ...listIn(shared['parameters'])].map((each) =>
      resolved(document, each),
    );
    const id = typeof post['operationId'] === 'string' ? post['operationId'] : `POST ${path}`;
    return [{ id, path, json: { ...post, parameters }, body: media && exampleOf(document, media) }];
  });
}

function chooseOperation(operations: readonly Operation[], id: string | undefined): Operation {
  const fitting = operations.filter(({ body }) => isObject(body) && isNamedMessage(findMessage(body)));
  const lines = (list: readonly Operation[]): string =>
    list.map((each) => `  --operation ${/\s/.test(each.id) ? `'${each.id}'` : each.id} (POST ${each.path})`).join('\n');
  const named = operations.filter(({ id: own, path }) => [own, path, `POST ${path}`].includes(id ?? ''));
  const [only, ...others] = id === undefined ? fitting : named;
  if (isObject(only?.body) && (id !== undefined || others.length === 0)) return only;
  if (id !== undefined)
    throw refusal(
      `--operation ${id} is not a POST with a JSON body`,
      `Name one of:\n${lines(fitting.length > 0 ? fitting : operations)}`,
    );
  if (only !== undefined)
    throw refusal(`${String(fitting.length)} operations may send a message`, `Name one of them:\n${lines(fitting)}`);
  throw refusal(
    'no POST has a JSON body with a field like message, input, prompt or question',
    operations.length === 0
      ? 'Name the description of a service with a POST.'
      : `Name the operation that sends a message:\n${lines(operations)}`,
  );
}

const isNamedMessage = (place: ReturnType<typeof findMessage>): boolean =>
  place !== undefined && isMessageName(place.findLast((key) => typeof key === 'string'));

function baseUrlOf(document: Json, url: string | undefined): URL {
  const [server] = listIn(document['servers']);
  const { url: described, variables } = objectIn(server);
  const filled = textIn(described).replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
    textIn(objectIn(objectIn(variables)[name])['default']),
  );
  const given = url ?? filled;
  if (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) return new URL(given);
  throw refusal(
    described === undefined ? 'the description names no server' : `the server '${filled}' is not a complete URL`,
    'Name the URL of the service: --url http://localhost:8000.',
  );
}

function requestOf(document: Json, { id, path, json, body }: Operation, base: URL): GivenRequest {
  const url = new URL(base);
  const headers: [string, string][] = [];
  const basic = authorize(document, json, { url, headers });
  const creation = creationPathOf(path) ?? path;
  let filled = creation + path.slice(creation.length).replace(/^\/\{[^}]+\}/, '/session');
  for (const parameter of listIn(json['parameters']).filter(isObject)) {
    const { name, in: where, required } = parameter;
    if (typeof name !== 'string' || (required !== true && where !== 'path') || isSessionName(name)) continue;
    const stated = textIn(statedIn(document, parameter));
    const value = stated === '' ? `$${name.toUpperCase().replaceAll(/\W/g, '_')}` : stated;
    if (where === 'path' && stated !== '') filled = filled.replaceAll(`{${name}}`, encodeURIComponent(stated));
    else if (where === 'query' && !url.searchParams.has(name)) url.searchParams.set(name, value);
    else if (where === 'header' && !headers.some(([each]) => each.toLowerCase() === name.toLowerCase()))
      headers.push([name, value]);
  }
  const [open] = /\{[^}]+\}/.exec(filled) ?? [];
  if (open !== undefined)
    throw refusal(
      `the path ${path} has the parameter ${open} without an example`,
      'Replace it by its value in the description, or give the parameter an example.',
    );
  const changed = leavesOf(body).find(({ value }) => typeof value === 'bigint');
  if (changed !== undefined)
    throw refusal(`the example of ${id} contains ${inexact(String(changed.value))}`, inexactHint);
  url.pathname = url.pathname.replace(/\/$/, '') + filled;
  return { method: 'POST', url, headers, body: objectIn(body), basic };
}

/** Adds the credentials of the first alternative of security schemes, as references to variables. */
function authorize(
  document: Json,
  operation: Json,
  { url, headers }: { url: URL; headers: [string, string][] },
): GivenRequest['basic'] {
  const [first] = listIn(operation['security'] ?? document['security']);
  const key = `$${keyVariable}`;
  let basic: GivenRequest['basic'];
  for (const name of Object.keys(objectIn(first))) {
    const scheme = objectIn(resolved(document, valueAt(document, ['components', 'securitySchemes', name])));
    const { type, in: where, name: field = name, scheme: kind } = scheme;
    if (type === 'http' && /^basic$/i.test(textIn(kind))) basic = ['$CHAT_LOAD_USER', '$CHAT_LOAD_PASSWORD'];
    else if (type !== 'apiKey') headers.push(['Authorization', `Bearer ${key}`]);
    else if (where === 'query') url.searchParams.set(textIn(field), key);
    else headers.push(where === 'cookie' ? ['Cookie', `${textIn(field)}=${key}`] : [textIn(field), key]);
  }
  return basic;
}

function exampleReply(document: Json, { json }: Operation): unknown {
  const responses = objectIn(json['responses']);
  const success = Object.keys(responses).find((status) => /^2/.test(status)) ?? 'default';
  const media = jsonMedia(objectIn(resolved(document, responses[success]))['content']);
  const example = media && exampleOf(document, media);
  return isObject(example) && Object.keys(example).length === 0 ? undefined : example;
}

function jsonMedia(content: unknown): Json | undefined {
  const type = Object.keys(objectIn(content)).find((each) => /^application\/(?:[\w.+-]+\+)?json\b/i.test(each));
  return type === undefined ? undefined : objectIn(objectIn(content)[type]);
}
