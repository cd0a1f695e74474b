import { createHash, createHmac } from 'node:crypto';
import type { SignatureV4 } from '@smithy/signature-v4';
import type { Clock } from '../../../base/time.ts';
import type { AwsCredentials } from '../../../plan/resolve-auth.ts';
import { requestWith } from '../../../protocol/chat-request.ts';
import type { Send } from '../../../session/send.ts';
import type { Sender } from './sender-options.ts';
import { urlOf } from '../request/request-head.ts';

/** The optional package that signs requests. */
export const signaturePackage = '@smithy/signature-v4';

let signer: typeof SignatureV4 | undefined;

/** Loads the code that signs requests. Called before `signRequests`. Throws if its package is not installed. */
export async function loadSigner(): Promise<void> {
  signer ??= (await import('@smithy/signature-v4')).SignatureV4;
}

interface Signing {
  credentials: AwsCredentials;
  baseUrl: URL;
  clock: Clock;
}

/**
 * Lets a sender sign every request with AWS Signature Version 4: host, date, session token and body. The signature is
 * computed after the instant of sending, and takes 20 to 50 µs of processor time.
 */
export function signRequests(sender: Sender, { credentials, baseUrl, clock }: Signing): Sender {
  if (signer === undefined) throw new Error('the signer was not loaded');
  const { region, service, accessKeyId, secretAccessKey, sessionToken } = credentials;
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  const signature = new signer({ region, service, credentials: keys, sha256: Sha256, applyChecksum: false });
  const { send } = sender;
  const signed: Send = async (message, sentAt, leaveAfterMs) => {
    const { method, path } = message.route;
    const url = urlOf(baseUrl, { path });
    const request = {
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: queryOf(url.search),
      headers: { host: url.host },
      body: message.body,
    };
    const { headers } = await signature.sign(request, { signingDate: new Date(clock.wallNow()) });
    const added = Object.entries(headers).filter(([name]) => name !== 'host');
    const lines = added.map(([name, value]) => `${name}: ${value}\r\n`);
    return send(requestWith(message, (message.fields ?? '') + lines.join('')), sentAt, leaveAfterMs);
  };
  return Object.assign(sender, { send: signed });
}

/** Reads a query as it is sent: a plus sign is one, and names may repeat. */
function queryOf(search: string): Record<string, string[]> {
  const query = Object.create(null) as Record<string, string[]>;
  for (const part of search.slice(1).split('&').filter(Boolean)) {
    const at = part.includes('=') ? part.indexOf('=') : part.length;
    (query[decoded(part.slice(0, at))] ??= []).push(decoded(part.slice(at + 1)));
  }
  return query;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** SHA-256, with a key also HMAC, in the form that the package requires. */
class Sha256 {
  readonly #hash: { update(data: string | Uint8Array): unknown; digest(): Uint8Array };

  constructor(key?: ArrayBufferView | ArrayBuffer | string) {
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(key));
  }

  update(data: ArrayBufferView | ArrayBuffer | string): void {
    this.#hash.update(bytesOf(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    throw new Error('each hash is used once');
  }
}

function bytesOf(data: ArrayBufferView | ArrayBuffer | string): string | Uint8Array {
  if (typeof data === 'string') return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
