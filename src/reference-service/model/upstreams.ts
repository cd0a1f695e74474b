import {
  Agent,
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent as TlsAgent, request as requestHttps } from 'node:https';
import type { ResolvedModel } from '../../scenario/model-options.ts';

type Forward = NonNullable<ResolvedModel['forward']>;
export type ForwardName = keyof Forward;

/** Headers of one connection only. */
const hopHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Returns headers as they are passed on: without those of the connection, and those that it names. */
export function passedOn(rawHeaders: readonly string[]): OutgoingHttpHeaders {
  const passed = new Map<string, string[]>();
  const named = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    if (name === 'connection') for (const each of value.toLowerCase().split(',')) named.add(each.trim());
    if (!hopHeaders.has(name)) passed.set(name, [...(passed.get(name) ?? []), value]);
  }
  return Object.fromEntries([...passed].filter(([name]) => !named.has(name)));
}

/** Idle connections are closed before services usually close them: a request that meets such a close is not repeated, because it may have been performed. */
const kept = { keepAlive: true, timeout: 4000 };

/** The real services that requests are forwarded to. */
export class Upstreams {
  readonly #forward: Forward;
  readonly #agents = { http: new Agent(kept), https: new TlsAgent(kept) };

  constructor(forward: Forward) {
    this.#forward = forward;
  }

  /** Opens a request with the head of another one; returns `undefined` if its service is not configured. */
  open(name: ForwardName, { url = '', method, rawHeaders }: IncomingMessage): ClientRequest | undefined {
    const base = this.#forward[name];
    if (base === undefined) return undefined;
    const target = new URL(base);
    const root = target.pathname.replace(/\/$/, '');
    // The base URL of OpenAI's client contains the version, that of Anthropic's client does not.
    const hasVersion = /\/v\d\w*$/.test(root) || (name === 'openai' && root !== '');
    const path = `${root}${hasVersion ? '' : '/v1'}${url.replace(/^\/v1(?=\/)/, '')}`;
    const headers = { ...passedOn(rawHeaders), host: target.host, 'accept-encoding': 'identity' };
    const isTls = target.protocol === 'https:';
    const { hostname, port } = target;
    const host = hostname.replace(/^\[|\]$/g, '');
    const options = { host, port, path, method, headers, agent: this.#agents[isTls ? 'https' : 'http'] };
    return isTls ? requestHttps(options) : requestHttp(options);
  }

  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }
}
