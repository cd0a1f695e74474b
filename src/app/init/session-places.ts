import { isCredential } from '../../base/header-field.ts';
import { findCreatedId, findSentSession, leavesOf, valueIn, withValue, type JsonPath } from './find-places.ts';
import { variablePattern, type GivenApi, type GivenRequest } from './given-api.ts';
import { isSessionName, isUserName, isUserPath, isUuid, namesSession } from './id-names.ts';
import { isNumberId } from './number-ids.ts';
import { isMarked } from './placeholders.ts';

/** Places of a session's id in the request of a message. */
export interface SessionPlaces {
  /** Position in the path, from 0. */
  readonly segment?: number | undefined;
  readonly header?: string | undefined;
  readonly query?: string | undefined;
  readonly body?: JsonPath | undefined;
  /** True if the service that creates the session knows its id as a number. */
  readonly isNumber?: boolean | undefined;
  /** The id in the command, if the creation has it, too: the client chooses it. */
  readonly ownId?: string | undefined;
  /** Names of header fields and parameters, and the position in the path, whose ids the client chooses, if no session is created. */
  readonly chosen?: {
    readonly headers: readonly string[];
    readonly query: readonly string[];
    readonly segment: number | undefined;
  };
}

/** Returns the places of the id: by its variable, by names, and by texts of the form of the id that the creation returned. */
export function sessionPlaces(api: GivenApi): SessionPlaces {
  const { message, creation, keepsPath, sessionSegment } = api;
  if (creation === undefined) return chosenPlaces(message, keepsPath === true, sessionSegment);
  const places = createdPlaces(api, creation);
  const ownId = ownIdOf(message, creation, places);
  // The client chooses texts.
  return { ...places, ownId, isNumber: ownId === undefined && places.isNumber };
}

function createdPlaces({ message, created, sessionVariable }: GivenApi, creation: GivenRequest): SessionPlaces {
  const createdAt = findCreatedId(created);
  const id = valueIn(created, createdAt);
  const isId = (text: string): boolean =>
    (sessionVariable !== undefined && new Set([`$${sessionVariable}`, `\${${sessionVariable}}`]).has(text)) ||
    (['string', 'number'].includes(typeof id) && isAlike(String(id), text));
  const others = new Set(creation.headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`));
  const headers = message.headers.filter(
    ([name, value]) => !/^(?:authorization|cookie)$/i.test(name) && !others.has(`${name.toLowerCase()}: ${value}`),
  );
  const header = headers.find(([name]) => namesSession(bare(name))) ?? headers.find(([, value]) => isId(value));
  const parameters = [...message.url.searchParams].filter(
    ([name, value]) => creation.url.searchParams.get(name) !== value,
  );
  const query =
    parameters.find(([name]) => namesSession(name)) ??
    parameters.find(([, value]) => isId(value)) ??
    parameters.find(([name]) => name === createdAt?.at(-1));
  const sent = JSON.stringify(creation.body);
  const texts = leavesOf(message.body).filter(({ value }) => typeof value === 'string');
  const alike = texts.filter(({ value }) => isId(String(value)) && !sent.includes(JSON.stringify(value)));
  // Ids of persons, messages and sessions often have one form: names decide first.
  const body =
    alike.find(({ path }) => namesSession(path.at(-1))) ??
    texts.find(({ path }) => namesSession(path.at(-1))) ??
    alike.find(({ path }) => !isUserPath(path)) ??
    alike[0];
  const path = body?.path ?? findSentSession(message.body);
  return {
    segment: segmentOf(message, creation, isId),
    header: header?.[0],
    query: query?.[0],
    body: path,
    isNumber: isNumberId(valueIn(message.body, path), id),
  };
}

/** Returns the header fields, the parameters and the segment whose ids the client chooses: of sessions, and of persons. */
function chosenPlaces({ headers, url }: GivenRequest, keepsPath: boolean, named: number | undefined): SessionPlaces {
  const isChosen = ([name, value]: readonly [name: string, value: string]): boolean => {
    const plain = bare(name);
    if (isSessionName(plain) || /^sid$/i.test(plain)) return true;
    const isPerson = isUserName(plain) && !/^(?:client|from)/i.test(plain) && !isCredential(name);
    return isPerson && (/id$/i.test(plain) || /\d/.test(value));
  };
  const namesOf = (fields: readonly (readonly [string, string])[]): string[] =>
    fields.filter(isChosen).map(([name]) => name);
  const segment = keepsPath ? undefined : (named ?? chosenSegment(url.pathname.split('/').slice(1).map(decoded)));
  return { chosen: { headers: namesOf(headers), query: namesOf([...url.searchParams]), segment } };
}

/** Returns the position of an id below a collection of sessions: `/sessions/s-1/text`, `/sessions/s-1:detectIntent`. */
function chosenSegment(segments: readonly string[]): number | undefined {
  const at = segments.findIndex((segment, index) => {
    const isBelow = isSessionName(segments[index - 1]?.replace(/s$/, ''));
    const isId = /[\d:]/.test(segment) || index < segments.length - 1;
    return isBelow && segment !== '' && isId && !verbs.test(segment) && !/^v\d+$/i.test(segment);
  });
  return at === -1 ? undefined : at;
}

/** Names below a collection that are no ids. */
const verbs = /^(?:messages?|chat|create|new|start|send|ask|query|current|me|completions?|invoke|runs?|stream)$/i;

/** Splits a segment into the id and the operation behind it. */
export function idAndVerb(segment: string): readonly [id: string, verb: string] {
  const at = segment.lastIndexOf(':');
  return at <= 0 ? [segment, ''] : [segment.slice(0, at), segment.slice(at)];
}

/** Returns the id that both commands have; `undefined`: none. */
function ownIdOf(message: GivenRequest, creation: GivenRequest, places: SessionPlaces): string | undefined {
  const [own = [], created = []] = [message, creation].map(({ url }) => url.pathname.split('/').slice(1).map(decoded));
  const [sent] = [
    // The id of a person may be in all parts of both commands.
    namesSession(places.body?.at(-1)) ? valueIn(message.body, places.body) : undefined,
    places.segment === undefined ? undefined : own[places.segment],
    message.headers.find(([name]) => name === places.header)?.[1],
    places.query === undefined ? undefined : message.url.searchParams.get(places.query),
  ].filter((value) => typeof value === 'string' && value !== '');
  if (typeof sent !== 'string' || isMarked(sent) || sent.search(variablePattern) !== -1) return undefined;
  const isInBody = leavesOf(creation.body).some(({ value }) => value === sent);
  return isInBody || created.includes(sent) ? sent : undefined;
}

const bare = (name: string): string => name.replace(/^x-/i, '');

/** Returns the position of the id in the path of a message. */
function segmentOf(message: GivenRequest, creation: GivenRequest, isId: (text: string) => boolean): number | undefined {
  const [own, created] = [message, creation].map(({ url }) => url.pathname.split('/').slice(1).map(decoded));
  if (own === undefined || created === undefined) return undefined;
  const isBelow = own.length > created.length && created.every((segment, index) => own[index] === segment);
  const isOther = (segment: string, index: number): boolean => created[index] !== segment;
  const isNamed = (index: number): boolean => isSessionName(own[index - 1]?.replace(/s$/, ''));
  const isHeld = (segment: string): boolean => /^(?:\$|<.*>$|\{.*\}$)/.test(segment);
  const isNumbered = (segment: string): boolean => /\d/.test(segment) && !/^v\d+$/i.test(segment);
  const named = own.findIndex(
    (segment, index) =>
      isOther(segment, index) && isNamed(index) && (isHeld(segment) || isId(segment) || isNumbered(segment)),
  );
  if (named !== -1) return named;
  const at = own.findIndex((segment, index) => isOther(segment, index) && (isHeld(segment) || isId(segment)));
  if (at !== -1) return at;
  return isBelow ? created.length : undefined;
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns a request without ids, or with a neutral text in their place, so that they are not taken for secrets. */
export function withoutId(
  request: GivenRequest,
  { segment, header, query, body, chosen }: SessionPlaces,
): GivenRequest {
  const url = new URL(request.url);
  const names = [header, ...(chosen?.headers ?? [])];
  for (const name of [query, ...(chosen?.query ?? [])]) if (name !== undefined) url.searchParams.delete(name);
  const position = segment ?? chosen?.segment;
  if (position !== undefined) {
    const parts = url.pathname.split('/');
    parts[position + 1] = 'session';
    url.pathname = parts.join('/');
  }
  return {
    ...request,
    url,
    headers: request.headers.filter(([name]) => !names.includes(name)),
    body: body === undefined ? request.body : (withValue(request.body, body, 'session') as GivenRequest['body']),
  };
}

/** Reports whether two texts are ids of one kind: equal apart from digits, or generated in the same form. */
function isAlike(one: string, other: string): boolean {
  return one === other || (/\d/.test(other) && formOf(one) === formOf(other));
}

function formOf(text: string): string {
  if (isUuid(text)) return 'uuid';
  if (!/^[\w.:~-]{2,200}$/.test(text)) return text;
  const [prefix = ''] = /^[A-Za-z]+[_.:-]/.exec(text) ?? [];
  return text.length >= 16 ? `${prefix}${String(text.length)}` : text.replaceAll(/\d+/g, '0');
}
