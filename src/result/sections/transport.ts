import { z } from 'zod';
import { count, text, flag, textOrNull } from '../../base/field.ts';
import { listAddresses, type Transport } from '../../session/send.ts';

const addressSchema = z.object({
  address: text('Address of the connections: of the target, or of its proxy; "others" after the first hundred'),
  connections: count('Number of connections'),
  exchanges: count('Number of answered exchanges'),
});

const tlsSchema = z.object({
  protocol: text('TLS version of the latest handshake, such as TLSv1.3'),
  handshakes: count('Completed handshakes'),
  resumed: count('Handshakes that resumed a session'),
  isVerified: flag('True if certificates were verified; false with --insecure'),
  issuer: text('Issuer of the certificate of the latest full handshake; empty if unknown'),
  validTo: textOrNull('Expiry of that certificate (ISO 8601); null if unknown'),
});

const tokensSchema = z.object({
  fetched: count('Tokens obtained, including the first one'),
  failed: count('Failed attempts to obtain a token'),
  retried: count('Attempts rejected (401) because of an expired token, and repeated with a new one'),
});

const http2Schema = z.object({
  goAways: count('Connections that the server asked to close (GOAWAY)'),
  refusedStreams: count(
    'Requests that the server refused before processing (REFUSED_STREAM, or a GOAWAY below their stream), resent or not',
  ),
});

/**
 * Transport of the requests: from the first connection to the last report of each process, including the warm-up, creations
 * and exchanges that ended after the last published interval.
 */
export const transportSchema = z.object({
  proxy: textOrNull('Proxy of the requests, without its credentials; null if there is none'),
  exchanges: z
    .object({ http1: count('Exchanges over HTTP/1.1'), http2: count('Exchanges over HTTP/2') })
    .describe(
      'Exchanges with a complete response, by HTTP version, including creations and the warm-up; for a run that died or lost a shard, up to a second more than its intervals contain',
    ),
  addresses: z.array(addressSchema).describe('Addresses that answered, by descending number of connections'),
  tls: tlsSchema.nullable().describe('TLS of the connections; null without TLS'),
  http2: http2Schema.nullable().describe('Counts of HTTP/2; null if it was not used'),
  tokens: tokensSchema.nullable().describe('Tokens that authorized requests; null if they do not expire'),
}) satisfies z.ZodType<Transport>;
export type { Transport };

export function sumTransport(parts: readonly (Transport | null)[]): Transport | null {
  const known = parts.filter((part) => part !== null);
  const [first] = known;
  if (first === undefined) return null;
  const tls = known.flatMap((part) => part.tls ?? []);
  return {
    proxy: first.proxy,
    exchanges: sumFields(known.map(({ exchanges }) => exchanges)) ?? first.exchanges,
    addresses: listAddresses(known.flatMap(({ addresses }) => addresses)),
    tls:
      tls[0] === undefined
        ? null
        : { ...tls[0], ...sumFields(tls.map(({ handshakes, resumed }) => ({ handshakes, resumed }))) },
    http2: sumFields(known.map(({ http2 }) => http2)),
    tokens: sumFields(known.map(({ tokens }) => tokens)),
  };
}

/** Sums counts field by field; `null` if there are none. */
function sumFields<Counts extends object>(parts: readonly (Counts | null)[]): Counts | null {
  const [first, ...rest] = parts.filter((part) => part !== null);
  if (first === undefined) return null;
  const sum = { ...first } as Record<string, number>;
  for (const part of rest)
    for (const [name, count] of Object.entries<number>(part as Record<string, number>))
      sum[name] = (sum[name] ?? 0) + count;
  return sum as Counts;
}
