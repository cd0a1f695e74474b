import { nameOrLength } from '../../base/excerpt.ts';
import { isCredential, secretsOf } from '../../base/header-field.ts';
import type { HeaderFields } from '../protocol.ts';
import type { ValuePath } from './definition.ts';

/** Fields that only the sender writes, or that other parts of a definition set. */
const reserved: Readonly<Record<string, string>> = {
  authorization: 'is set by authorize',
  cookie: 'is set by cookies',
  ...Object.fromEntries(
    ['accept-encoding', 'connection', 'content-length', 'expect', 'host', 'te', 'transfer-encoding', 'upgrade'].map(
      (name) => [name, 'is set by chat-load'],
    ),
  ),
};

/** Describes an invalid header field of an author, if any. Reserved ones may be allowed. */
export function headerProblem(fields: unknown, allowed: readonly string[] = []): string | undefined {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    return "is not an object of header fields such as { 'X-Tenant': 'a' }";
  return Object.entries(fields)
    .map(([name, value]) => fieldProblem(name, value, allowed))
    .find((problem) => problem !== undefined);
}

function fieldProblem(name: string, value: unknown, allowed: readonly string[]): string | undefined {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name))
    return `names the header field '${nameOrLength(name, 40)}', which HTTP cannot carry`;
  const why = reserved[name.toLowerCase()];
  if (why !== undefined && !allowed.includes(name.toLowerCase()))
    return `contains the header field ${name}, which ${why}`;
  if (typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)) return undefined;
  return `has a value for the header field ${name} that is not a text of printable ASCII`;
}

/** Replaces the usual fields by an author's fields of the same name, in any case. */
export function withFields(usual: HeaderFields, own: HeaderFields): HeaderFields {
  return { ...Object.keys(own).reduce(withoutField, usual), ...own };
}

/** Removes a field, in any case. */
export function withoutField(fields: HeaderFields, name: string): HeaderFields {
  return Object.fromEntries(Object.entries(fields).filter(([each]) => each.toLowerCase() !== name.toLowerCase()));
}

/** Removes the fields whose names are those of credentials. */
export function withoutCredentials(fields: HeaderFields): HeaderFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isCredential(name)));
}

/** Passes on the secrets in fields whose names are those of credentials. */
export function keepCredentials(fields: HeaderFields, keepSecret: (secret: string) => void): void {
  for (const [name, value] of Object.entries(fields))
    if (isCredential(name)) for (const secret of [...secretsOf(value), ...value.split(' ')]) keepSecret(secret);
}

/** Default fields, which an author may override. */
export const jsonFields: HeaderFields = { 'Content-Type': 'application/json', Accept: 'application/json' };

/** Returns the header fields of responses that are read. */
export function wantedHeaders(
  cookies: boolean | undefined,
  ...paths: readonly (ValuePath | undefined)[]
): readonly string[] | undefined {
  const named = paths.flatMap((path) => (typeof path === 'object' ? [path.header.toLowerCase()] : []));
  const wanted = [...(cookies === true ? ['set-cookie'] : []), ...named];
  return wanted.length === 0 ? undefined : wanted;
}

/** Returns fields with these cookies. */
export function withCookies(headers: HeaderFields, cookies: string): HeaderFields {
  return cookies === '' ? headers : { ...withoutField(headers, 'cookie'), Cookie: cookies };
}

/** Returns a `Cookie` field with newly set cookies, which replace cookies of the same name. Attributes are ignored. */
export function mergeCookies(kept: string, headers: HeaderFields | undefined): string {
  const set = headers?.['set-cookie'] ?? '';
  if (set === '' || set === kept) return kept;
  const pairs = [kept, set].filter((text) => text !== '').flatMap((text) => text.split('; '));
  return [...new Map(pairs.map((pair) => [pair.split('=', 1)[0], pair])).values()].join('; ');
}
