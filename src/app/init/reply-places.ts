import { groupBy } from '../../base/group-by.ts';
import { isObject } from '../../base/is-object.ts';
import { conditionOf, isAnswer, isAside, kindsOf, recognizerOf, type EventKinds } from './event-kinds.ts';
import { findReply, findSession, leavesOf, valueIn, type JsonPath } from './find-places.ts';
import type { SeenEvent, SeenReply } from './given-api.ts';
import { isIdName } from './id-names.ts';
import { Code, literal, nameLiteral } from './literal.ts';
import { partField, repetitionsIn, type PartField } from './repeated-texts.ts';
import { findFinish, findUsage, isFinishName } from './usage-places.ts';

interface ReplyPlaces {
  fields: Readonly<Record<string, unknown>>;
  words: string;
  /** Place of the session's id. */
  session: JsonPath | undefined;
}

interface Known {
  /** Message that was sent. */
  sent: unknown;
  /** True if the session's id is looked for. */
  hasSession: boolean;
}

/** Returns the places in a reply; `undefined` if it has no text. */
export function replyPlaces(seen: SeenReply, { sent, hasSession }: Known): ReplyPlaces | undefined {
  if ('text' in seen)
    return { fields: { reply: { format: 'text' } }, words: 'the body, which is text', session: undefined };
  if ('events' in seen && isTextual(seen.events)) return textPlaces(seen);
  const jsons = 'events' in seen ? seen.events.map(({ json }) => json) : [seen.json];
  const usage = findUsage(jsons);
  const finish = findFinish(jsons);
  const session = hasSession ? jsons.map(findSession).find((path) => path !== undefined) : undefined;
  const more = {
    ...(session !== undefined && { sessionId: dotted(session) }),
    ...(usage !== undefined && { usage }),
    ...(finish !== undefined && { finish }),
  };
  if ('events' in seen) return streamPlaces(seen, { sent, session, more });
  const text = findReply(seen.json, seen.isExample === true ? undefined : sent);
  if (text === undefined) return undefined;
  const { code, words } = textIn(seen.json, text);
  return { fields: { reply: { text: code, ...more } }, words, session };
}

/** Reports whether the data of a stream is text: a token of a text may look like JSON, an event of JSON is always JSON. */
function isTextual(events: readonly SeenEvent[]): boolean {
  const filled = events.filter(({ data }) => data.trim() !== '' && data.trim() !== '[DONE]');
  const types = groupBy(filled, ({ type }) => type);
  // Events of other types may be in another format.
  const [most = []] = [...types.values()].toSorted((one, other) => other.length - one.length);
  return (
    most.some(({ json }) => json === undefined) || (most.length > 0 && most.every(({ json }) => !isJsonData(json)))
  );
}

const isJsonData = (json: unknown): boolean => typeof json === 'object' || typeof json === 'string';

/** Describes a stream whose data is text; events of the most frequent type are the answer. */
function textPlaces({ format, events }: Extract<SeenReply, { format: string }>): ReplyPlaces {
  const last = events.at(-1);
  const isMarked = last?.data.trim() === '[DONE]';
  const others = isMarked ? events.slice(0, -1) : events;
  const types = groupBy(others, ({ type }) => type);
  const type = [...types].toSorted(([, one], [, other]) => other.length - one.length)[0]?.[0] ?? '';
  const isEndType = last !== undefined && last.type !== '' && types.get(last.type)?.length === 1 && types.size > 1;
  const end = isMarked ? '[DONE]' : isEndType ? { event: last.type } : 'close';
  const text = new Code(`(data: string, type: string) => (type === ${literal(type)} ? data : undefined)`);
  const fields = format === 'text' ? { format } : { format, data: 'text', ...(types.size > 1 && { text }), end };
  return { fields: { stream: fields }, words: textWords[format], session: undefined };
}

const textWords = {
  sse: 'the data of the events, which is text',
  'json-lines': 'the lines, which are text',
  text: 'the body, which is text, as it arrives',
} as const;

interface Further {
  sent: unknown;
  session: JsonPath | undefined;
  more: Readonly<Record<string, unknown>>;
}

function streamPlaces(
  { format, events, isCut }: Extract<SeenReply, { format: string }>,
  { sent, session, more }: Further,
): ReplyPlaces | undefined {
  const kinds = kindsOf(events);
  const places = events.flatMap((event) => {
    const path = findReply(event.json, sent);
    const kind = kinds?.of(event) ?? '';
    return path === undefined || (isAside(kind) && !isAnswer(kind)) ? [] : [{ event, path, kind }];
  });
  // The place that occurs most often in a stream is that of the answer.
  const [found] = [...groupBy(places, ({ path, kind }) => `${kind} ${dotted(path)}`).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  const [first] = found ?? [];
  if (first === undefined) return undefined;
  const { path, kind } = first;
  const alike = places.filter(
    (each) => dotted(each.path) === dotted(path) && (each.kind === kind || isAnswer(each.kind)),
  );
  const repetitions = repetitionsIn(
    alike.map(({ event }) => event),
    path,
  );
  const parts = alike.filter(({ event }) => !repetitions.has(event));
  const answering = [...new Set([kind, ...parts.map((each) => each.kind)])];
  const texts = alike.filter((each) => answering.includes(each.kind)).map(({ event }) => event);
  const repeated = texts.filter((event) => repetitions.has(event));
  const part = repeated.length === 0 ? undefined : partField(texts, new Set(repeated), path);
  const isKnown = kinds !== undefined && kind !== '';
  const fields = {
    format,
    text: part === undefined ? (isKnown ? kindText(kinds, answering, path) : pathCode(path)) : partText(part, path),
    ...more,
    end: isCut === true ? 'close' : endOf(events, kinds, path),
    ...(kinds !== undefined && { error: recognizerOf(kinds, errorKind(events, kinds)) }),
  };
  const of = isKnown ? ` of kind ${answering.join(', ')}` : '';
  return { fields: { stream: fields }, words: `${dotted(path) || 'the JSON itself'} of the events${of}`, session };
}

/** Returns the kind of the errors: as seen, otherwise the usual one. */
const errorKind = (events: readonly SeenEvent[], kinds: EventKinds): string =>
  events.map(kinds.of).find((kind) => kind !== undefined && /error/i.test(kind)) ?? 'error';

/** Returns a function that returns the text of events of some kinds. */
function kindText(kinds: EventKinds, answering: readonly string[], path: JsonPath): Code {
  const condition = conditionOf(kinds, answering);
  const parameters = (type: string): string => `event: ${type}${kinds.field === undefined ? ', type: string' : ''}`;
  const test = answering.length > 1 ? `(${condition})` : condition;
  if (path.length === 0)
    return new Code(`(${parameters('unknown')}) => (${test} && typeof event === 'string' ? event : undefined)`);
  const own = kinds.field === undefined ? '' : `{ ${nameLiteral(kinds.field)}?: string } & `;
  const keys = path.map((key, index) => `${index === 0 ? '' : '?.'}[${literal(key)}]`).join('');
  return new Code(`(${parameters(own + typeAt(path))}) => (${condition} ? event${keys} : undefined)`);
}

/** Returns a function that returns the text of the parts, without the repetitions of the whole. */
function partText({ path, value, isOfParts }: PartField, text: JsonPath): Code {
  const type = `${typeAt(path, typeof value)} & ${typeAt(text)}`;
  const keys = (of: JsonPath): string => of.map((key, index) => `${index === 0 ? '' : '?.'}[${literal(key)}]`).join('');
  const sign = isOfParts ? '===' : '!==';
  return new Code(
    `(event: ${type}) => (event${keys(path)} ${sign} ${literal(value)} ? event${keys(text)} : undefined)`,
  );
}

/** Returns how the last event of a stream differs from the others. */
function endOf(events: readonly SeenEvent[], kinds: EventKinds | undefined, text: JsonPath): unknown {
  const last = events.at(-1);
  const others = events.slice(0, -1);
  if (last === undefined || last.data.trim() === '[DONE]') return '[DONE]';
  if (others.length === 0) return 'close';
  if (last.type !== '' && others.every(({ type }) => type !== last.type)) return { event: last.type };
  const kind = kinds?.of(last);
  if (kinds !== undefined && kind !== undefined && others.every((event) => kinds.of(event) !== kind))
    return recognizerOf(kinds, kind);
  const fields = leavesOf(last.json).filter(({ path, value }) =>
    others.every(({ json }) => valueIn(json, path) !== value),
  );
  const flag = fields.find(({ value }) => value === true);
  if (flag !== undefined) return dotted(flag.path);
  // Texts and ids differ in every event; the mark of an end is absent before, or has one value.
  const field = fields.find(
    ({ path, value }) =>
      path.length === 1 &&
      typeof value === 'string' &&
      dotted(path) !== dotted(text) &&
      !isIdName(path.at(-1)) &&
      new Set(others.map(({ json }) => valueIn(json, path))).size <= 1,
  );
  if (field === undefined) return 'close';
  const at = `event[${literal(field.path[0])}]`;
  const isNull = others.every(({ json }) => valueIn(json, field.path) === null);
  // The value of one reply is no mark: another reply has another text, or another reason to end.
  const isValue = isNull || isFinishName(field.path[0]) || /\s/.test(String(field.value));
  const condition = isValue ? `(${at} ?? null) !== null` : `${at} === ${literal(field.value)}`;
  return new Code(`(event: Record<string, unknown>) => ${condition}`);
}

export function dotted(path: JsonPath): string {
  return path.join('.');
}

/** Returns the place of a reply's text, and its description; in a list whose items have kinds, the last item of the same kind. */
function textIn(json: unknown, path: JsonPath): { code: string | Code; words: string } {
  const at = path.findIndex((key) => typeof key === 'number');
  const item = valueIn(json, path.slice(0, at + 1));
  const list = valueIn(json, path.slice(0, at));
  const field = kindFields.find((name) => isObject(item) && typeof item[name] === 'string');
  const isVaried =
    field !== undefined &&
    Array.isArray(list) &&
    new Set(list.map((each: unknown) => (isObject(each) ? each[field] : undefined))).size > 1;
  const below = path.slice(at + 1);
  const isOfTexts =
    Array.isArray(list) && isObject(item) && !isConversational(list) && textsAt(list, below) === list.length;
  if (!isVaried && isOfTexts && (at === 0 || list.length > 1) && below.every((key) => typeof key === 'string'))
    return placeAt([...path.slice(0, at), '*', ...below]);
  if (at === -1 || !isVaried || !isObject(item)) return placeAt(path);
  const [before, after] = [path.slice(0, at), path.slice(at + 1)];
  const keys = (part: JsonPath): string => part.map((key) => `?.[${literal(key)}]`).join('');
  const type = typeAt(before, `({ ${nameLiteral(field)}?: string } & ${typeAt(after)})[]`);
  return {
    code: new Code(
      `(body: ${type}) =>\n      body${keys(before)}?.findLast((item) => item[${literal(field)}] === ${literal(item[field])})${keys(after)}`,
    ),
    words: `${inLast(before, after)} with ${field} ${String(item[field])}`,
  };
}

/** Returns the code of a path, and its description. */
function placeAt(path: JsonPath): { code: string | Code; words: string } {
  const at = lastItemAt(path);
  const words = at === -1 ? dotted(path) : inLast(path.slice(0, at), path.slice(at + 1));
  return { code: pathCode(path), words: words || 'the JSON itself' };
}

const inLast = (list: JsonPath, below: JsonPath): string =>
  `${below.length === 0 ? '' : `${dotted(below)} of `}the last item of ${dotted(list) || 'the list'}`;

/** Returns the position of an index other than the first, which stands for the last item; -1 for none. */
const lastItemAt = (path: JsonPath): number => path.findLastIndex((key) => typeof key === 'number' && key > 0);

const isConversational = (list: readonly unknown[]): boolean =>
  list.some((item) => isObject(item) && typeof item['role'] === 'string');

/** Counts the items of a list with a text at a path. */
const textsAt = (list: readonly unknown[], path: JsonPath): number =>
  list.filter((item) => typeof valueIn(item, path) === 'string').length;

const kindFields = ['message_type', 'type', 'role', 'kind'];

/** Returns the type of JSON with a value at a path. */
const typeAt = (path: JsonPath, inner = 'string'): string =>
  path.reduceRight<string>(
    (item, key) => (typeof key === 'number' ? `(${item})[]` : `{ ${nameLiteral(key)}?: ${item} }`),
    inner,
  );

/** Returns a dotted path, or a function if the text is the whole JSON, or in the last item of a list. */
function pathCode(path: JsonPath): string | Code {
  if (path.length === 0) return new Code("(json: unknown) => (typeof json === 'string' ? json : undefined)");
  const at = lastItemAt(path);
  if (at === -1) return dotted(path);
  const keys = (part: JsonPath): string => part.map((key) => `?.[${literal(key)}]`).join('');
  return new Code(`(body: ${typeAt(path)}) => body${keys(path.slice(0, at))}?.at(-1)${keys(path.slice(at + 1))}`);
}
