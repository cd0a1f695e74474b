import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

const sha256 = (data: string): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/** Escapes as the canonical URI requires: each segment of the path as sent once more. */
const escaped = (path: string): string =>
  path
    .split('/')
    .map((segment) =>
      encodeURIComponent(segment).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/');

/** Sorts the parameters of a query by their encoded names and values. */
const canonicalQuery = (query: string): string =>
  query
    .split('&')
    .filter(Boolean)
    .map((part) => {
      const [name = '', ...value] = part.split('=').map((text) => encodeURIComponent(decodeURIComponent(text)));
      return `${name}=${value.join('%3D')}`;
    })
    .sort()
    .join('&');

/**
 * Computes the signature of a request as its receiver does.
 * Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
function signatureOf({ method = '', url = '', headers }: IncomingMessage, body: string, secretKey: string): string {
  const { authorization = '', 'x-amz-date': date } = headers;
  const scope = /Credential=[^/]+\/([^,]+)/.exec(authorization)?.[1] ?? '';
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? '';
  const [path = '', sent = ''] = url.split('?');
  const query = canonicalQuery(sent);
  const fields = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, escaped(path), query, fields.join(''), names, sha256(body)].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', String(date), scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>((before, part) => hmac(before, part), `AWS4${secretKey}`);
  return hmac(key, toSign).toString('hex');
}

/** A Converse API that verifies signatures, with what it received. */
export async function openAwsService(secretKey: string) {
  const received: { scope: string; signed: string; token: unknown; isValid: boolean; ageMs: number }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { authorization = '', 'x-amz-date': date, 'x-amz-security-token': token } = request.headers;
      const [, scope = '', signed = '', signature = ''] =
        /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([\da-f]{64})$/.exec(authorization) ??
        [];
      const isValid = signature !== '' && signature === signatureOf(request, body, secretKey);
      const at = String(date).replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z');
      received.push({ scope, signed, token, isValid, ageMs: Math.abs(Date.now() - Date.parse(at)) });
      const reply = isValid
        ? {
            output: { message: { role: 'assistant', content: [{ text: 'Héllo' }] } },
            stopReason: 'end_turn',
            usage: { inputTokens: 3, outputTokens: 1, totalTokens: 4 },
            metrics: { latencyMs: 1 },
          }
        : { message: 'The request signature we calculated does not match the signature you provided.' };
      response.writeHead(isValid ? 200 : 403, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, received };
}
