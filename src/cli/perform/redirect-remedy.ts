import { maskQuery } from '../../base/header-field.ts';
import { printable } from '../../base/printable.ts';
import type { ContactExchange } from '../../conformance/contact/contact.ts';

/** Returns the remedy for a redirect, with its destination if it has one. The fields of the exchange have no secrets. */
export function redirectRemedy(exchange: ContactExchange | undefined, isNamed: boolean): string {
  const location = exchange?.response.fields.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? '';
  const { url = '' } = exchange?.request ?? {};
  const destination = URL.canParse(location, url) ? new URL(location, url).href : location;
  const where = location === '' ? '' : ` to ${printable(maskQuery(destination))}`;
  const remedy = isNamed
    ? 'set the base URL (--url) to which the protocol adds its path to reach this URL'
    : 'repeat chat-load init with this URL, or change message.path (or the path of createSession) in the definition';
  return `It redirects${where}, and redirects are not followed: ${remedy}.`;
}
