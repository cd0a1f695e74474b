import type { OutgoingHttpHeaders } from 'node:http2';

/** Fields of HTTP/1.1 that say something about its connection alone (RFC 9113, section 8.2.2), and those that have a place of their own. */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The fields of HTTP/2 for a request whose head was composed for HTTP/1.1, so that both versions ask the same: names in
 * small letters, the first line and `Host` in fields of their own. The length is left to each request.
 */
export function requestFields(head: string, scheme: string): OutgoingHttpHeaders {
  const [requestLine = '', ...lines] = head.split('\r\n');
  const [method = '', path = ''] = requestLine.split(' ');
  const { host, ...fields } = fieldsOf(lines);
  return { ':method': method, ':scheme': scheme, ':authority': host, ':path': path, ...fields };
}

/** The fields of one request alone, of which each is a line. */
export function ownFields(fields: string): OutgoingHttpHeaders {
  return fieldsOf(fields.split('\r\n'));
}

function fieldsOf(lines: readonly string[]): OutgoingHttpHeaders {
  const fields: Record<string, string | string[]> = {};
  for (const line of lines) {
    const end = line.indexOf(':');
    const name = line.slice(0, Math.max(0, end)).toLowerCase();
    if (name === '' || name === 'content-length' || ofConnection.has(name)) continue;
    const value = line.slice(end + 1).trim();
    const before = fields[name];
    // Cookies of several fields are one (RFC 9113, section 8.2.3).
    if (before === undefined) fields[name] = value;
    else fields[name] = name === 'cookie' ? `${String(before)}; ${value}` : [before, value].flat();
  }
  return fields;
}
