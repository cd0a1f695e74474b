import { isObject } from '../../base/is-object.ts';
import { jsonObjectIn } from '../../base/json.ts';
import { findMessage, isMessageName } from './find-places.ts';
import { placeholder, type GivenRequest } from './given-api.ts';
import { isSessionName, isUserName } from './id-names.ts';
import { exampleOf, statedIn } from './openapi-example.ts';
import { listIn, objectIn, refusal, resolved, textIn, type Json } from './openapi-json.ts';

/** An operation of a description, which may send a message. */
export interface Operation {
  id: string;
  method: 'POST' | 'GET';
  path: string;
  /** Operation, with the parameters of its path. */
  json: Json;
  /** Example of the body, or the fields of the form or the query that name a message; `undefined`: none. */
  body: unknown;
  /** Place of the fields of `body`, if it is not sent as JSON. */
  fields: GivenRequest['fields'];
}

/** Returns the method and the path. */
export function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}

/** Returns the operations of a description that could send a message or create a session. */
export function operationsOf(document: Json): Operation[] {
  return Object.entries(objectIn(document['paths'])).flatMap(([path, item]) => {
    const shared = objectIn(resolved(document, item));
    return (['POST', 'GET'] as const).flatMap((method): Operation[] => {
      const own = shared[method.toLowerCase()];
      if (!isObject(own)) return [];
      const parameters = [...listIn(own['parameters']), ...listIn(shared['parameters'])].map((each) =>
        resolved(document, each),
      );
      const json = { ...own, parameters };
      const id = typeof own['operationId'] === 'string' ? own['operationId'] : `${method} ${path}`;
      const sent = method === 'GET' ? undefined : bodyOf(document, own['requestBody']);
      return [{ id, method, path, json, ...(sent ?? inQuery(document, parameters)) }];
    });
  });
}

type Sent = Pick<Operation, 'body' | 'fields'>;

/** Returns the example of a body in JSON, of a form or in parts; `undefined` if there is none of them. */
function bodyOf(document: Json, requestBody: unknown): Sent | undefined {
  const { content } = objectIn(resolved(document, requestBody));
  const json = mediaOf(content, jsonType);
  if (json !== undefined) return wholeBody(document, json, 'string');
  const form = mediaOf(content, /^application\/x-www-form-urlencoded\b/i);
  const sent = form ?? mediaOf(content, /^multipart\/form-data\b/i);
  const text = mediaOf(content, /^text\/plain\b/i);
  if (sent === undefined) return text && wholeBody(document, text, 'text');
  const example = Object.entries(objectIn(exampleOf(document, sent, 'request')));
  const texts = example.filter(([name]) => !isFile(document, sent, name));
  return {
    body: Object.fromEntries(texts.map(([name, value]) => [name, formText(value)])),
    fields: form === undefined ? 'multipart' : 'form',
  };
}

/** Returns a body; a text is the message itself, by the title of its schema. */
function wholeBody(document: Json, media: Json, sentAs: 'string' | 'text'): Sent {
  const body = exampleOf(document, media, 'request');
  if (typeof body !== 'string') return { body, fields: undefined };
  const title = textIn(objectIn(resolved(document, media['schema']))['title']).toLowerCase();
  const json = jsonObjectIn(body);
  return json === undefined
    ? { body: { [title === '' ? 'message' : title]: body }, fields: sentAs }
    : { body: json, fields: undefined };
}

/** Reports whether a part of a body is a file, which is not sent. */
function isFile(document: Json, media: Json, name: string): boolean {
  const { properties } = objectIn(resolved(document, media['schema']));
  const part = objectIn(resolved(document, objectIn(properties)[name]));
  const forms = [part, objectIn(resolved(document, part['items']))];
  return forms.some((form) => form['format'] === 'binary' || form['contentMediaType'] !== undefined);
}

const formText = (value: unknown): string =>
  isObject(value) || Array.isArray(value) ? JSON.stringify(value) : textIn(value);

/** Returns the parameters of a query that are a message, a session or a person; `undefined` as the body if none is a message. */
function inQuery(document: Json, parameters: readonly unknown[]): Sent {
  const own = parameters.filter(isObject).filter(({ in: where }) => where === 'query');
  const named = own.map((each) => ({ ...each, name: textIn(each['name']), required: each['required'] === true }));
  const message =
    named.find(({ name, required }) => required && isMessageName(name)) ??
    named.find(({ name }) => isMessageName(name));
  if (message === undefined) return { body: undefined, fields: 'query' };
  const ids = named.filter(({ name, required }) => isSessionName(name) || (required && isUserName(name)));
  const body = [message, ...ids].map((each) => {
    const stated = formText(statedIn(document, each) ?? null);
    const id = each.required ? 'id-1' : '';
    return [each.name, stated === '' ? (each === message ? placeholder : id) : stated];
  });
  return { body: Object.fromEntries(body) as Json, fields: 'query' };
}

/** Returns the operation that sends a message. `id`: name of the chosen one, its path, or its method and path. Throws a usage error. */
export function chooseOperation(operations: readonly Operation[], id: string | undefined): Operation {
  const sending = operations.filter(({ body }) => isObject(body) && isNamedMessage(findMessage(body)));
  // A search with a query is more likely than a second place for messages.
  const posted = sending.filter(({ fields }) => fields === undefined);
  const fitting = posted.length > 0 ? posted : sending;
  const lines = (list: readonly Operation[]): string =>
    list.map((each) => `  --operation ${/\s/.test(each.id) ? `'${each.id}'` : each.id} (${nameOf(each)})`).join('\n');
  const named = operations.filter((each) => [each.id, each.path, nameOf(each)].includes(id ?? ''));
  const [only, ...others] = id === undefined ? fitting : named.toSorted((one, other) => rank(one) - rank(other));
  if (isObject(only?.body) && (id !== undefined || others.length === 0)) return only;
  if (id !== undefined)
    throw refusal(
      `--operation ${id} sends no JSON, no form, no parts and no message in its query`,
      `Name one of:\n${lines(fitting.length > 0 ? fitting : operations)}`,
    );
  if (only !== undefined)
    throw refusal(`${String(fitting.length)} operations may send a message`, `Name one of them:\n${lines(fitting)}`);
  const possible = operations.filter(({ method, body }) => method === 'POST' || isObject(body));
  throw refusal(
    'no operation has a body or a query with a field like message, input, prompt or question',
    possible.length === 0
      ? 'Name the description of a service with a POST.'
      : `Name the operation that sends a message:\n${lines(possible)}`,
  );
}

/** Orders the operations of one path: those with a body first. */
const rank = ({ body, fields }: Operation): number => (isObject(body) ? 0 : 2) + (fields === 'query' ? 1 : 0);

const isNamedMessage = (place: ReturnType<typeof findMessage>): boolean =>
  place !== undefined && isMessageName(place.findLast((key) => typeof key === 'string'));

/** Media types of JSON. */
export const jsonType = /^application\/(?:[\w.+-]+\+)?json\b/i;

/** Returns the first media type that matches. */
export function mediaOf(content: unknown, pattern: RegExp): Json | undefined {
  const type = Object.keys(objectIn(content)).find((each) => pattern.test(each));
  return type === undefined ? undefined : objectIn(objectIn(content)[type]);
}
