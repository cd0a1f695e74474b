import { parse } from 'yaml';
import { messageOf } from '../../base/errors.ts';
import { isObject, valueAt } from '../../base/is-object.ts';
import { isShallow } from '../../base/json.ts';
import { leavesOf } from './find-places.ts';
import { isSessionName } from './id-names.ts';
import { inexact, inexactHint, type GivenApi, type GivenRequest } from './given-api.ts';
import { keyVariable } from './environment-references.ts';
import { exampleOf, statedIn } from './openapi-example.ts';
import { listIn, objectIn, refusal, resolved, textIn, type Json } from './openapi-json.ts';
import { chooseOperation, jsonType, mediaOf, nameOf, operationsOf, type Operation } from './openapi-operations.ts';

interface Chosen {
  /** Base URL in place of the servers. */
  url?: string | undefined;
  operation?: string | undefined;
  /** Values of parameters of the path, the query and headers: `name=value`. */
  parameters?: readonly string[] | undefined;
}

/**
 * Reads an OpenAPI 3 description (JSON or YAML): the operation that sends a message, an example of its body and of its
 * reply by their schemas, and its security schemes as references to variables. Throws a usage error.
 */
export function readOpenapi(source: string, { url, operation, parameters = [] }: Chosen): GivenApi {
  const document = parseDocument(source);
  const operations = operationsOf(document);
  const message = chooseOperation(operations, operation);
  const base = baseUrlOf(document, url);
  const hasCredentials = base.username !== '' || base.password !== '';
  [base.username, base.password] = ['', ''];
  const parent = creationPathOf(message.path);
  const creator = operations.find(({ path, method }) => path === parent && method === 'POST');
  const values = valuesOf(parameters);
  const cookies = setsCookies(document, [message, creator]);
  const request = (of: Operation): GivenRequest => requestOf(document, of, { base, values, cookies });
  const requests = { message: request(message), creation: creator && request(creator) };
  const unknown = [...values.keys()].find(
    (name) => ![message, creator].some((each) => each && namesParameter(each, name)),
  );
  if (unknown !== undefined)
    throw refusal(
      `--parameter ${unknown} is not a parameter of ${nameOf(message)}`,
      `Name one of: ${parameterNames(message).join(', ') || 'none, the operation has no parameters'}.`,
    );
  const reply = exampleReply(document, message);
  const isChosen = creator === undefined && parent !== undefined;
  return {
    ...requests,
    ...(isChosen && { sessionSegment: segmentAfter(base, parent) }),
    ...(cookies && { cookies }),
    reply: reply === undefined ? undefined : { json: reply, isExample: true },
    created: creator && (exampleReply(document, creator) ?? {}),
    notes: [
      `the operation is ${message.id} (${nameOf(message)})`,
      ...(isChosen
        ? [
            `no POST ${parent} creates the session of ${message.path}: its id is a new one per session. If the service creates it elsewhere, add createSession`,
          ]
        : []),
      ...(hasCredentials ? ['the user and the password of the server are not taken over: set target.auth'] : []),
    ],
  };
}

/** Returns the position of the segment after a path below a base URL, from 0. */
const segmentAfter = ({ pathname }: URL, path: string): number =>
  `${pathname.replace(/\/$/, '')}${path}`.split('/').length - 1;

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

/** Returns the values of `name=value` texts. */
function valuesOf(parameters: readonly string[]): Map<string, string> {
  return new Map(
    parameters.map((text) => {
      const at = text.indexOf('=');
      if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)] as const;
      throw refusal('--parameter takes name=value', 'Name a parameter and its value: --parameter bot=support.');
    }),
  );
}

const parameterNames = ({ json }: Operation): string[] =>
  listIn(json['parameters']).flatMap((each) => textIn(objectIn(each)['name']) || []);

const namesParameter = (operation: Operation, name: string): boolean =>
  parameterNames(operation).includes(name) || operation.path.includes(`{${name}}`);

/** Reports whether replies of the operations set cookies, or a session is known by a cookie. */
function setsCookies(document: Json, operations: readonly (Operation | undefined)[]): boolean {
  return operations.some((operation) => {
    const replies = Object.values(objectIn(operation?.json['responses'])).map((each) =>
      objectIn(resolved(document, each)),
    );
    const isSet = replies.some(({ headers }) =>
      Object.keys(objectIn(headers)).some((name) => /^set-cookie$/i.test(name)),
    );
    return isSet || (operation !== undefined && schemesOf(document, operation.json).some(isSessionCookie));
  });
}

const isSessionCookie = ({ type, in: where, name }: Json): boolean =>
  type === 'apiKey' && where === 'cookie' && /sess|sid/i.test(textIn(name));

interface Requesting {
  base: URL;
  values: ReadonlyMap<string, string>;
  /** True if the service sets the cookies. */
  cookies: boolean;
}

function requestOf(
  document: Json,
  { id, method, path, json, body, fields }: Operation,
  { base, values, cookies }: Requesting,
): GivenRequest {
  const url = new URL(base);
  const headers: [string, string][] = [];
  const basic = authorize(document, json, { url, headers, cookies });
  const creation = creationPathOf(path) ?? path;
  let filled = creation + path.slice(creation.length).replace(/^\/\{[^}]+\}/, '/session');
  for (const parameter of listIn(json['parameters']).filter(isObject)) {
    const { name, in: where, required } = parameter;
    if (typeof name !== 'string' || isSessionName(name)) continue;
    if (where === 'query' && fields === 'query' && Object.hasOwn(objectIn(body), name)) continue;
    if (required !== true && where !== 'path' && !values.has(name)) continue;
    const stated = values.get(name) ?? textIn(statedIn(document, parameter));
    const value = stated === '' ? `$${name.toUpperCase().replaceAll(/\W/g, '_')}` : stated;
    if (where === 'path' && stated !== '') filled = filled.replaceAll(`{${name}}`, encodeURIComponent(stated));
    else if (where === 'query' && !url.searchParams.has(name)) url.searchParams.set(name, value);
    else if (where === 'header' && !headers.some(([each]) => each.toLowerCase() === name.toLowerCase()))
      headers.push([name, value]);
  }
  for (const [name, value] of values) filled = filled.replaceAll(`{${name}}`, encodeURIComponent(value));
  const open = filled.match(/\{[^}]+\}/g) ?? [];
  if (open.length > 0)
    throw refusal(
      `the path ${path} has the ${open.length === 1 ? 'parameter' : 'parameters'} ${open.join(' and ')} without an example`,
      `State ${open.length === 1 ? 'its value' : 'their values'}: ${open.map((each) => `--parameter ${each.slice(1, -1)}=VALUE`).join(' ')}.`,
    );
  const changed = leavesOf(body).find(({ value }) => typeof value === 'bigint');
  if (changed !== undefined)
    throw refusal(`the example of ${id} contains ${inexact(String(changed.value))}`, inexactHint);
  url.pathname = url.pathname.replace(/\/$/, '') + filled;
  const own = objectIn(body);
  const given = Object.keys(own).flatMap((name) => (values.has(name) ? [[name, values.get(name)]] : []));
  const sent = fields === undefined ? own : { ...own, ...(Object.fromEntries(given) as Json) };
  return { method, url, headers, body: sent, ...(isObject(body) && { fields }), basic };
}

/** Adds the credentials of the first alternative of security schemes, as references to variables. */
function authorize(
  document: Json,
  operation: Json,
  { url, headers, cookies }: { url: URL; headers: [string, string][]; cookies: boolean },
): GivenRequest['basic'] {
  const key = `$${keyVariable}`;
  let basic: GivenRequest['basic'];
  for (const { type, in: where, name: field, scheme } of schemesOf(document, operation)) {
    if (type === 'http' && /^basic$/i.test(textIn(scheme))) basic = ['$CHAT_LOAD_USER', '$CHAT_LOAD_PASSWORD'];
    else if (type !== 'apiKey') headers.push(['Authorization', `Bearer ${key}`]);
    else if (where === 'query') url.searchParams.set(textIn(field), key);
    else if (where !== 'cookie') headers.push([textIn(field), key]);
    else if (!cookies) headers.push(['Cookie', `${textIn(field)}=${key}`]);
  }
  return basic;
}

/** Returns the first alternative of the security schemes of an operation. */
function schemesOf(document: Json, operation: Json): Json[] {
  const [first] = listIn(operation['security'] ?? document['security']);
  return Object.keys(objectIn(first)).map((name) => ({
    name,
    ...objectIn(resolved(document, valueAt(document, ['components', 'securitySchemes', name]))),
  }));
}

function exampleReply(document: Json, { json }: Operation): unknown {
  const responses = objectIn(json['responses']);
  const success = Object.keys(responses).find((status) => /^2/.test(status)) ?? 'default';
  const media = mediaOf(objectIn(resolved(document, responses[success]))['content'], jsonType);
  const example = media && exampleOf(document, media, 'reply');
  return isObject(example) && Object.keys(example).length === 0 ? undefined : example;
}
