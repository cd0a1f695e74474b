import { nameOrLength } from '../../base/excerpt.ts';
import type { HeaderFields } from '../protocol.ts';
import type { Place } from './definition.ts';

/** What only the sender writes, and what belongs elsewhere in a definition. */
const reserved: Readonly<Record<string, string>> = {
  authorization: 'is written by authorize',
  cookie: 'is written by cookies',
  ...Object.fromEntries(
    ['accept-encoding', 'connection', 'content-length', 'expect', 'host', 'te', 'transfer-encoding', 'upgrade'].map(
      (name) => [name, 'is written by chat-load'],
    ),
  ),
};

/** What is wrong with header fields of an author; `undefined`: nothing. Those that are reserved may be allowed. */
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
  if (why !== undefined && !allowed.includes(name.toLowerCase())) return `holds the header field ${name}, which ${why}`;
  if (typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)) return undefined;
  return `has a value for the header field ${name} that is not a text of printable ASCII`;
}

/** Those of an author in the place of the usual ones of the same name, in whatever case. */
export function withFields(usual: HeaderFields, own: HeaderFields): HeaderFields {
  return { ...Object.keys(own).reduce(withoutField, usual), ...own };
}

/** Without a field, in whatever case its name is written. */
export function withoutField(fields: HeaderFields, name: string): HeaderFields {
  return Object.fromEntries(Object.entries(fields).filter(([each]) => each.toLowerCase() !== name.toLowerCase()));
}

/** What the body and the reply are, unless an author says otherwise. */
export const jsonFields: HeaderFields = { 'Content-Type': 'application/json', Accept: 'application/json' };

/** The header fields of responses that are needed for what is found in them. */
export function wantedHeaders(
  cookies: boolean | undefined,
  ...places: readonly (Place | undefined)[]
): readonly string[] | undefined {
  const named = places.flatMap((place) => (typeof place === 'object' ? [place.header.toLowerCase()] : []));
  const wanted = [...(cookies === true ? ['set-cookie'] : []), ...named];
  return wanted.length === 0 ? undefined : wanted;
}

/** The text of a `Cookie` field with newly set cookies, which replace those of the same name. Their attributes are not looked at. */
export function mergeCookies(kept: string, headers: HeaderFields | undefined): string {
  const set = headers?.['set-cookie'] ?? '';
  if (set === '' || set === kept) return kept;
  const pairs = [kept, set].filter((text) => text !== '').flatMap((text) => text.split('; '));
  return [...new Map(pairs.map((pair) => [pair.split('=', 1)[0], pair])).values()].join('; ');
}
