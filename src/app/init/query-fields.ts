import { findMessage, isMessageName } from './find-places.ts';
import { variablePattern, type GivenRequest } from './given-api.ts';
import { isSessionName, isUserName } from './id-names.ts';
import { isSecretParameter } from './secret-texts.ts';

/**
 * Takes the fields of a message from a query: all but secrets, variables and repeated ones, which stay in the URL. Returns
 * `undefined` if no field is named like a message or has a natural text.
 */
export function fieldsOfQuery(url: URL): Pick<GivenRequest, 'url' | 'body' | 'fields'> | undefined {
  const isMoved = ([name, value]: readonly [string, string]): boolean =>
    url.searchParams.getAll(name).length === 1 &&
    name !== '__proto__' &&
    value.search(variablePattern) === -1 &&
    (isSessionName(name) || isUserName(name) || !isSecretParameter(name, value));
  const pairs = [...url.searchParams];
  const body = Object.fromEntries(pairs.filter(isMoved));
  const [place] = findMessage(body) ?? [];
  if (place === undefined || !(isMessageName(place) || /\S\s+\S/.test(body[place] ?? ''))) return undefined;
  const rest = new URL(url);
  rest.search = '';
  for (const pair of pairs) if (!isMoved(pair)) rest.searchParams.append(...pair);
  return { url: rest, body, fields: 'query' };
}
