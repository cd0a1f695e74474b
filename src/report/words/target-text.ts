import type { Transport } from '../../result/sections/transport.ts';
import type { Result } from '../../result/result.ts';
import { defaultProtocol } from '../../protocol/registry/registry.ts';
import { printable } from '../../base/printable.ts';
import type { Plan } from '../../plan/plan.ts';

/** Returns the agent or the model as the next part of a sentence, and '' if the target has none. */
export function agentText(agentId: string, kind: 'agent' | 'model' = 'agent'): string {
  return agentId === '' ? '' : `, ${kind} ${agentId}`;
}

interface Way {
  proxy: string | null;
  unixSocket: string | null;
  http2: boolean;
}

/** By which way a target was reached; nothing where that was the plain one. */
export function wayText({ proxy, unixSocket, http2 }: Way): string {
  const spoken = http2 ? ', over HTTP/2' : '';
  if (unixSocket !== null) return `${spoken}, by the Unix socket ${unixSocket}`;
  return proxy === null ? spoken : `${spoken}, through the proxy ${proxy}`;
}

/** The way of a run, as its connections took it. */
export function wayOf(transport: Pick<Transport, 'proxy' | 'addresses' | 'http2'> | null): Way {
  const { proxy = null, addresses = [], http2 = null } = transport ?? {};
  const socket = addresses.find(({ address }) => address.startsWith(onSocket));
  return { proxy, unixSocket: socket?.address.slice(onSocket.length) ?? null, http2: http2 !== null };
}

const onSocket = 'unix:';

/** Which service a run loaded: every output says so. */
export function targetLine({ target, transport }: Pick<Result, 'target' | 'transport'>): string {
  const { baseUrl, agentId, protocol, stream } = target;
  const way = wayText(wayOf(transport));
  const spoken = [...(protocol === defaultProtocol ? [] : [protocol]), ...(stream ? ['in pieces'] : [])].join(' ');
  return printable(
    `target    ${baseUrl ?? 'embedded reference service'}${agentText(agentId)}${spoken && `, ${spoken}`}${way}`,
  );
}

/** One line for the target and one for its token server if their certificates are not verified. */
export function insecureTexts({ target: { baseUrl, tls }, options }: Pick<Plan, 'target' | 'options'>): string[] {
  return [
    ...(tls.insecure && baseUrl?.startsWith('https:') === true ? [ofTarget] : []),
    ...(options['target.auth.oauth.insecure']?.value === true ? [ofTokenServer] : []),
  ];
}

const ofTarget =
  'INSECURE  the certificate of the target is not verified (--insecure): anyone on the way can read the key and answer for the service';
const ofTokenServer =
  'INSECURE  the certificate of the token server is not verified (target.auth.oauth.insecure): anyone on the way can read the client secret';
