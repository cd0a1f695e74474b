import { leavesOf, speakers, valueIn, withValue, type JsonPath } from './find-places.ts';
import type { GivenRequest } from './given-api.ts';
import { isIdName, isUuid } from './id-names.ts';
import { Code, literal } from './literal.ts';
import { chosenId } from './sent-ids.ts';
import { decoded, type SessionPlaces } from './session-places.ts';
import { isObject } from '../../base/is-object.ts';

/** Returns the path of the creation, in which the id of the session replaces that of the command. */
export function creationPath({ url }: GivenRequest, query: string, ownId: string | undefined): string | Code {
  const parts = url.pathname.split('/').map((part) => (decoded(part) === ownId ? '{{sessionId}}' : part));
  const path = parts.join('/') + query;
  if (!path.includes('${')) return path;
  const isNamed = path.includes('{{sessionId}}');
  return new Code(
    `(${isNamed ? '{ sessionId }' : ''}) => \`${path.replaceAll('{{sessionId}}', '${encodeURIComponent(sessionId)}')}\``,
  );
}

/** Returns the body of the creation, a function if it contains the id of the session. */
export function creationBody({ body }: GivenRequest, ownId: string | undefined): unknown {
  const places = leavesOf(body).filter(({ value }) => ownId !== undefined && value === ownId);
  if (places.length === 0) return body;
  const withId = places.reduce<unknown>((so, { path }) => withValue(so, path, new Code('sessionId')), body);
  return new Code(`({ sessionId }) => (${literal(withId, '      ')})`);
}

/** Returns the expression of a body with these fields. */
export function bodyCode(written: string, sentAs: GivenRequest['fields']): string {
  if (sentAs === undefined) return `(${written})`;
  if (sentAs === 'text') return 'message';
  if (sentAs === 'string') return 'JSON.stringify(message)';
  if (sentAs !== 'multipart') return `String(new URLSearchParams(${written}))`;
  const part = `--${boundary}\\r\\nContent-Disposition: form-data; name="\${name}"\\r\\n\\r\\n\${value}\\r\\n`;
  return `Object.entries(${written}).map(([name, value]) => \`${part}\`).join('') + '--${boundary}--\\r\\n'`;
}

/** Between the parts of a body. */
const boundary = 'chat-load-9f3a61d2';

const contentTypes = {
  text: 'text/plain',
  form: 'application/x-www-form-urlencoded',
  multipart: `multipart/form-data; boundary=${boundary}`,
};

/** Returns the path of messages; a function if it contains the message or an id that the client chooses. `names`: of the body. */
export function pathCode(target: string, names: readonly string[]): string | Code {
  if (!target.includes('${')) return target;
  if (!target.includes('new URLSearchParams('))
    return new Code(`${target.includes(chosenId) ? '({ variables }) => ' : ''}\`${target}\``);
  // Functions fill in the ids themselves.
  const path = target.replaceAll('{{sessionId}}', '${encodeURIComponent(sessionId)}');
  const words = codesOf(path).split(/\W+/);
  const used = ['message', 'sessionId', 'variables'].filter((name) => names.includes(name) || words.includes(name));
  return new Code(`({ ${used.join(', ')} }) => \`${path}\``);
}

/** Returns the expressions of a template literal. */
const codesOf = (template: string): string => (template.match(/\$\{[^}]*\}/g) ?? []).join(' ');

/** Returns the header fields with the id of the session. */
export function headersOf({ header, chosen }: SessionPlaces, sentAs: GivenRequest['fields']): { headers?: unknown } {
  const isOther = sentAs === 'form' || sentAs === 'multipart' || sentAs === 'text';
  const type = isOther ? { 'Content-Type': contentTypes[sentAs] } : {};
  const ids = (chosen?.headers ?? []).map((name) => [name, new Code(chosenId)] as const);
  const id: Readonly<Record<string, unknown>> =
    header === undefined ? Object.fromEntries(ids) : { [header]: '{{sessionId}}' };
  const fields = { ...type, ...id };
  if (Object.keys(fields).length === 0) return {};
  const isFunction = header === undefined && ids.length > 0;
  return { headers: isFunction ? new Code(`({ variables }) => (${literal(fields, '    ')})`) : fields };
}

/** Replaces the ids of the objects that contain the message, `depth` or more levels deep: each message has its own. */
export function withNewIds(json: unknown, message: JsonPath, depth = 1): unknown {
  const ids = leavesOf(json).filter(
    ({ path, value }) =>
      path.length > depth &&
      isUuid(value) &&
      isIdName(path.at(-1)) &&
      path.slice(0, -1).every((key, index) => message[index] === key),
  );
  return ids.reduce<unknown>((so, { path }) => withValue(so, path, new Code('crypto.randomUUID()')), json);
}

/** Replaces the list of messages by the conversation, in the form of its last message. */
export function withConversation(body: unknown, list: JsonPath, place: JsonPath): unknown {
  const items = valueIn(body, list);
  const all = Array.isArray(items) ? (items as unknown[]) : [];
  const last = all.at(-1);
  const below = place.slice(list.length + 1);
  const { field, user, agent } =
    speakers.find((each) => all.some((item) => isObject(item) && item[each.field] === each.user)) ?? speakers[0];
  const speaker = field === 'role' ? 'role' : `role === 'user' ? '${user}' : '${agent}'`;
  const shape = withNewIds(
    withValue(withValue(last, below, new Code('content')), [field], new Code(speaker)),
    below,
    0,
  );
  const isPlain = isObject(last) && Object.keys(last).sort().join() === 'content,role' && below.length === 1;
  const turns = isPlain ? 'messages' : `messages.map(({ role, content }) => (${literal(shape, '    ')}))`;
  const before = all.filter((item) => isObject(item) && /^(?:system|developer)$/.test(String(item[field])));
  return withValue(body, list, before.length === 0 ? new Code(turns) : [...before, new Code(`...${turns}`)]);
}
