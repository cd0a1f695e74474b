import { jsonObjectIn } from '../../base/json.ts';
import { jsonIn } from '../../protocol/classify-whole.ts';
import type { ChatLoadError } from '../../base/errors.ts';
import { inexact, inexactHint, type GivenRequest } from './given-api.ts';
import { fieldsOfQuery } from './query-fields.ts';

/** Data of a curl command, in the form of its options. */
export interface CurlData {
  /** Values of `-d` and of options like it, which may name a file. */
  readonly plain: readonly string[];
  /** Values of `--data-raw`. */
  readonly raw: readonly string[];
  /** Values of `--data-urlencode`. */
  readonly encoded: readonly string[];
  /** Values of `-F`, and of `--form-string`. */
  readonly parts: readonly string[];
  readonly plainParts: readonly string[];
  /** Standard input, if the command names its text. */
  readonly input: string | undefined;
  /** True if all data belongs to the query. */
  readonly isQuery: boolean;
  readonly contentType: string;
}

/** Returns an error; `of` names the command. */
export type Refuse = (fault: string, hint: string) => ChatLoadError;

type Sent = Pick<GivenRequest, 'url' | 'body' | 'fields'>;

/** Returns the body of a request: the object of its JSON, or the fields of its form or of its query. Throws the error of `refuse`. */
export function curlBody(
  url: URL,
  data: CurlData,
  { isCreation, refuse }: { isCreation: boolean; refuse: Refuse },
): Sent {
  if (data.parts.length + data.plainParts.length > 0) return { url, body: partsOf(data, refuse), fields: 'multipart' };
  const plain = data.plain.map((each) => textOf(each, data.input, refuse));
  const bodies = [...plain, ...data.raw, ...data.encoded.map(encodedField(refuse))];
  if (data.isQuery) url.search = [url.search.replace(/^\?/, ''), ...bodies].filter((part) => part !== '').join('&');
  const sent = data.isQuery ? [] : bodies;
  const isEmpty = sent.every((body) => body.trim() === '');
  if (isCreation && isEmpty) return { url, body: {} };
  const inQuery = isEmpty ? fieldsOfQuery(url) : undefined;
  if (inQuery !== undefined) return inQuery;
  if (sent.length === 0)
    throw refuse(
      'has no body, and no message in its query',
      `Use the request that sends a message: --data '{"message": "Hello"}', or https://.../ask?q=Hello.`,
    );
  const bare = isCreation ? undefined : bareMessage(sent, data.contentType);
  if (bare !== undefined) return { url, ...bare };
  const isForm =
    !isCreation && /^(?:application\/x-www-form-urlencoded\b.*)?$/i.test(data.contentType) && sent.every(isFormText);
  return isForm
    ? { url, body: formFields(sent.join('&'), refuse), fields: 'form' }
    : { url, body: jsonBody(sent, isCreation ? 'not a JSON object' : 'neither a JSON object nor a form', refuse) };
}

/** Returns a body that is the message itself: a text declared as such, or a text in JSON. */
function bareMessage([body = '', ...others]: readonly string[], contentType: string): Omit<Sent, 'url'> | undefined {
  if (others.length > 0 || body.trim() === '') return undefined;
  const json = jsonIn(body);
  if (typeof json === 'string') return { body: { message: json }, fields: 'string' };
  return json === undefined && /^text\/plain\b/i.test(contentType)
    ? { body: { message: body }, fields: 'text' }
    : undefined;
}

/** Returns the text of a value of `-d`, of which `@-` is the standard input. */
function textOf(value: string, input: string | undefined, refuse: Refuse): string {
  if (value === '@-' && input !== undefined) return input;
  if (!value.startsWith('@')) return value;
  throw refuse(
    'reads its body from a file or standard input (@...)',
    "Files are not read. Replace it by the contents: --data '{...}', or a here-document.",
  );
}

/** Encodes a value of `--data-urlencode`: `text`, `=text`, or `name=text`. */
const encodedField =
  (refuse: Refuse) =>
  (value: string): string => {
    const [, name = '', mark = '', content = ''] = /^([^=@]*)([=@])(.*)$/s.exec(value) ?? ['', '', '=', value];
    if (mark === '@') return textOf(`@${content}`, undefined, refuse);
    return `${name === '' ? '' : `${name}=`}${encodeURIComponent(content)}`;
  };

/** Returns the fields of a body in parts, which are texts. */
function partsOf({ parts, plainParts }: CurlData, refuse: Refuse): Record<string, unknown> {
  if (parts.some((part) => /^[^=]*=[@<]/.test(part)))
    throw refuse('sends a file (-F name=@...)', 'Files are not read. Use a request of texts alone.');
  const all = [...parts.map((part) => part.replace(/;(?:type|filename|headers|encoder)=[^;]*$/, '')), ...plainParts];
  const pairs = all.map((part) => [part.replace(/=.*/s, ''), part.replace(/^[^=]*=/s, '')] as const);
  return uniqueFields(pairs, refuse);
}

const isFormText = (text: string): boolean => /^\s*[^\s=&{}[\]"'<>]+=/.test(text);

function formFields(text: string, refuse: Refuse): Record<string, unknown> {
  return uniqueFields([...new URLSearchParams(text.trim())], refuse);
}

function uniqueFields(pairs: readonly (readonly [string, string])[], refuse: Refuse): Record<string, unknown> {
  const names = pairs.map(([name]) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw refuse(`sends the field ${repeated} twice`, 'Keep one of them.');
  return fieldsWithout(Object.fromEntries(pairs), refuse);
}

/** Reads a body of JSON; `other` describes another one. */
function jsonBody([body = '', ...others]: readonly string[], other: string, refuse: Refuse): Record<string, unknown> {
  // PowerShell needs a backslash before the quotes of a text in single quotes.
  const json = others.length > 0 ? undefined : (jsonObjectIn(body) ?? jsonObjectIn(body.replaceAll('\\"', '"')));
  if (json === undefined)
    throw refuse(
      others.length > 0 ? 'has several bodies' : `has a body that is ${other}`,
      others.length === 0 && /^\s*\{\s*'/.test(body)
        ? 'Its names are in single quotes, and JSON requires double quotes: --data \'{"message": "Hello"}\'.'
        : 'Pass one JSON object: --data \'{"message": "Hello"}\', or a text with -H "Content-Type: text/plain". For other formats: chat-load init --protocol own.',
    );
  const number = inexactNumberIn(body);
  if (number !== undefined) throw refuse(`contains ${inexact(number)}`, inexactHint);
  return fieldsWithout(json, refuse);
}

/** Assigned to a field, `__proto__` would set the prototype. */
function fieldsWithout(fields: Record<string, unknown>, refuse: Refuse): Record<string, unknown> {
  if (!/"__proto__":/.test(JSON.stringify(fields))) return fields;
  throw refuse('contains the field __proto__', 'Remove the field, which a scenario cannot state.');
}

/** Returns the first number in a JSON text that would change when it is parsed. */
function inexactNumberIn(text: string): string | undefined {
  const tokens = text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs) ?? [];
  return tokens.find((token) => !token.startsWith('"') && !isExact(token));
}

function isExact(number: string): boolean {
  const digits = number
    .replace(/e.*/i, '')
    .replaceAll(/\D/g, '')
    .replaceAll(/^0+|0+$/g, '');
  return Number.isFinite(Number(number)) && (digits.length <= 15 || String(Number(number)) === number);
}
