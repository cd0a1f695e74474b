import { isLoopback, plainName } from './host-names.ts';

/** A host, with a port and a path: a name with a dot or a port, `localhost`, or an address. */
const schemeless = /^(?:\/\/)?((localhost|[\w-]+(?:\.[\w-]+)+|\[[\da-f:]+\]|[\w-]+(?=:\d))(?::\d+)?(?:\/.*)?)$/i;

/**
 * Returns the message for a base URL without a scheme, such as `localhost:8000/v1`, which parses as a URL of the scheme
 * `localhost`; `undefined` for any other text. It names the URL that was meant: `http` for loopback hosts, else `https`.
 */
export function lacksScheme(url: string): string | undefined {
  const [, rest = '', host = ''] = schemeless.exec(url) ?? [];
  if (rest === '') return undefined;
  return `has no scheme: did you mean ${isLoopback(plainName(host)) ? 'http' : 'https'}://${rest}?`;
}
