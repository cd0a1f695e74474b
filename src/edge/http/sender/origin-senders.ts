import { requestWith } from '../../../protocol/chat-request.ts';
import type { HeaderFields } from '../../../protocol/protocol.ts';
import { listAddresses, type Send, type Transport } from '../../../session/send.ts';
import type { Sender, SenderOptions } from './sender-options.ts';

type Open = (options: SenderOptions) => Sender;

/**
 * Sender to a target and to other origins, over HTTP and over WebSocket: each has a sender of its own, which its first
 * request opens. Only the target's origin receives credentials.
 */
export class OriginSenders implements Sender {
  readonly #options: SenderOptions;
  readonly #open: Open;
  readonly #main: Sender;
  readonly #others = new Map<string, { sender: Sender; isForeign: boolean }>();
  #authorization: HeaderFields | undefined;
  #isCut = false;

  constructor(options: SenderOptions, open: Open) {
    this.#options = options;
    this.#open = open;
    this.#main = open(options);
  }

  readonly send: Send = (request, sentAt, leaveAfterMs) => {
    const { route, socket } = request;
    if (route.origin === undefined && socket === undefined) return this.#main.send(request, sentAt, leaveAfterMs);
    const { sender, isForeign } = this.#senderTo(route.origin, socket !== undefined);
    // Fields of the scenario and cookies are the target's.
    return sender.send(isForeign ? requestWith(request, '') : request, sentAt, leaveAfterMs);
  };

  authorize(fields: HeaderFields): void {
    this.#authorization = fields;
    this.#main.authorize(fields);
    for (const { sender, isForeign } of this.#others.values()) if (!isForeign) sender.authorize(fields);
  }

  cut(): void {
    this.#isCut = true;
    for (const sender of this.#all) sender.cut();
  }

  async close(): Promise<void> {
    this.#isCut = true;
    await Promise.all(this.#all.map((sender) => sender.close()));
  }

  get connections(): Sender['connections'] {
    return sumOf(this.#all.map(({ connections: { open, opened } }) => ({ open, opened })));
  }

  get traffic(): Sender['traffic'] {
    return sumOf(this.#all.map(({ traffic: { bytesSent, bytesReceived } }) => ({ bytesSent, bytesReceived })));
  }

  get exhausted(): Sender['exhausted'] {
    return sumOf(
      this.#all.map(({ exhausted: { descriptorsExhausted, portsExhausted } }) => ({
        descriptorsExhausted,
        portsExhausted,
      })),
    );
  }

  transport(): Transport {
    const all = this.#all.map((sender) => sender.transport());
    const own = this.#main.transport();
    return {
      ...own,
      exchanges: sumOf(all.map(({ exchanges: { http1, http2 } }) => ({ http1, http2 }))),
      addresses: listAddresses(all.flatMap(({ addresses }) => addresses)),
      tls: own.tls ?? all.find(({ tls }) => tls !== null)?.tls ?? null,
    };
  }

  get #all(): Sender[] {
    return [this.#main, ...[...this.#others.values()].map(({ sender }) => sender)];
  }

  #senderTo(origin: string | undefined, isSocket: boolean): { sender: Sender; isForeign: boolean } {
    const key = `${isSocket ? 'socket' : 'http'} ${origin ?? ''}`;
    const known = this.#others.get(key);
    if (known !== undefined) return known;
    const to = optionsTo(origin, this.#options);
    const isForeign = isForeignTo(origin, this.#options);
    const sender = this.#open(isSocket ? { ...to, transport: 'websocket' } : to);
    if (this.#authorization !== undefined && !isForeign) sender.authorize(this.#authorization);
    if (this.#isCut) sender.cut();
    const made = { sender, isForeign };
    this.#others.set(key, made);
    return made;
  }
}

const isForeignTo = (origin: string | undefined, { baseUrl }: Pick<SenderOptions, 'baseUrl'>): boolean =>
  origin !== undefined && origin !== baseUrl.origin;

/** Returns the options of a sender to an origin: another one than the target's gets nothing that authorizes. */
export function optionsTo(origin: string | undefined, options: SenderOptions): SenderOptions {
  if (origin === undefined) return options;
  const at = { ...options, baseUrl: new URL(origin) };
  if (!isForeignTo(origin, options)) return at;
  const { ca, rejectUnauthorized, minVersion, resume } = options.tls ?? {};
  const given = Object.entries({ ca, rejectUnauthorized, minVersion, resume }).filter(
    ([, value]) => value !== undefined,
  );
  return {
    ...at,
    apiKey: '',
    authorize: () => ({}),
    authorization: {},
    signedWith: undefined,
    headers: undefined,
    cookies: false,
    http2: false,
    unixSocket: null,
    tls: Object.fromEntries(given),
  };
}

/** Sums objects of the same counts. */
function sumOf<Name extends string>(counts: readonly Readonly<Record<Name, number>>[]): Record<Name, number> {
  const [first, ...others] = counts;
  if (first === undefined) throw new Error('no counts');
  const sum: Record<Name, number> = { ...first };
  for (const each of others) for (const name of Object.keys(sum) as Name[]) sum[name] += each[name];
  return sum;
}
