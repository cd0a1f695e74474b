import { isIP } from 'node:net';

/** An address that replaces the resolution of a host. */
export interface ResolveEntry {
  /** In lower case, an IPv6 literal without brackets. */
  host: string;
  port: number;
  address: string;
}

/** Parses `host:port:address`, with IPv6 addresses in brackets. */
export function readResolveEntry(text: string): ResolveEntry | { problem: string } {
  const { host, port, address } = form.exec(text)?.groups ?? {};
  const to = unbracketed(address ?? '');
  const isBracketed = address?.startsWith('[') === true;
  if (host === undefined || isIP(to) === 0 || (isIP(to) === 6) !== isBracketed) return { problem: expected(text) };
  const number = Number(port);
  if (number < 1 || number > 65_535) return { problem: `${expected(text)}; a port is from 1 to 65535` };
  return { host: unbracketed(host).toLowerCase().replace(/\.$/, ''), port: number, address: to };
}

const form = /^(?<host>\[[\da-f:.]+\]|[^\s:/[\]@]+):(?<port>\d{1,5}):(?<address>\[[^\]]+\]|[^[\]]+)$/i;

const expected = (text: string): string =>
  `'${text}' is not valid: expected host:port:address, such as 'agent.example.com:443:10.0.0.7', with an IPv6 address in brackets`;

const unbracketed = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');
