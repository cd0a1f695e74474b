import { z } from 'zod';
import { count, text } from '../../base/field.ts';
import { listAddresses, type Transport } from '../../session/send.ts';

const addressSchema = z.object({
  address: text(
    'The address that connections went to: of the target, or of the proxy before it; "others" beyond a hundred',
  ),
  connections: count('Connections to it'),
  exchanges: count('Exchanges that it answered'),
});

const tlsSchema = z.object({
  protocol: text('The version of TLS of the latest handshake, such as TLSv1.3'),
  handshakes: count('Handshakes that came to an end'),
  resumed: count('Those of them that resumed a session'),
  isVerified: z.boolean().describe('Whether certificates were verified; false with --insecure'),
  issuer: text('Who issued the certificate of the latest full handshake; empty where it is not known'),
  validTo: z.string().nullable().describe('When that certificate ends (ISO 8601); null where it is not known'),
});

const tokensSchema = z.object({
  fetched: count('Tokens obtained, the first one included'),
  failed: count('Attempts to obtain one that failed'),
  retried: count('Attempts that were refused (401) with a token that had expired, and made again with a new one'),
});

const http2Schema = z.object({
  goAways: count('Connections that the server asked to leave (GOAWAY)'),
  refusedStreams: count(
    'Requests that were sent and that the server refused before it began with them (REFUSED_STREAM, or a GOAWAY below their stream), those included that were not sent again',
  ),
});

/**
 * Transport of the requests: from the first connection to the last report of each process, so the warm-up, creations and
 * what ended after the last published interval are included.
 */
export const transportSchema = z.object({
  proxy: z.string().nullable().describe('The proxy that requests went through, without its credentials; null: none'),
  exchanges: z
    .object({ http1: count('Those over HTTP/1.1'), http2: count('Those over HTTP/2') })
    .describe(
      'Exchanges with a complete response, by version of HTTP: creations and warm-up included; of a run that died or lost a shard, up to a second more than its intervals contain',
    ),
  addresses: z.array(addressSchema).describe('The addresses that answered, those with the most connections first'),
  tls: tlsSchema.nullable().describe('The encryption; null where there was none'),
  http2: http2Schema.nullable().describe('What HTTP/2 alone has; null where it was not spoken'),
  tokens: tokensSchema.nullable().describe('Tokens that authorized requests; null where none expires'),
}) satisfies z.ZodType<Transport>;
export type { Transport };

/** What several processes did together; facts that are the same for all are those of the first. */
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

/** Counts added up field by field; `null` without any. */
function sumFields<Counts extends object>(parts: readonly (Counts | null)[]): Counts | null {
  const [first, ...rest] = parts.filter((part) => part !== null);
  if (first === undefined) return null;
  const sum = { ...first } as Record<string, number>;
  for (const part of rest)
    for (const [name, count] of Object.entries<number>(part as Record<string, number>))
      sum[name] = (sum[name] ?? 0) + count;
  return sum as Counts;
}
