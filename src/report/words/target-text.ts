import type { Transport } from '../../result/sections/transport.ts';
import type { Result } from '../../result/result.ts';
import { defaultProtocol } from '../../protocol/registry/registry.ts';
import { printable } from '../../base/printable.ts';
import type { Plan } from '../../plan/plan.ts';

/** Returns the agent or the model as a further part of a line, or '' if the target has none. */
export function agentText(agentId: string, kind: 'agent' | 'model' = 'agent'): string {
  return agentId === '' ? '' : `, ${kind} ${agentId}`;
}

/** Reports whether a protocol addresses agents or models. */
export function modelKind(protocol: string): 'agent' | 'model' {
  return protocol === defaultProtocol ? 'agent' : 'model';
}

/** Connection route of a target. */
interface Route {
  proxy: string | null;
  unixSocket: string | null;
  http2: boolean;
}

/** Describes the route to a target; '' for direct HTTP/1.1 connections. */
export function routeText({ proxy, unixSocket, http2 }: Route): string {
  const version = http2 ? ', over HTTP/2' : '';
  if (unixSocket !== null) return `${version}, through the Unix socket ${unixSocket}`;
  return proxy === null ? version : `${version}, through the proxy ${proxy}`;
}

/** Returns the route that the connections of a run took. */
export function routeOf(transport: Pick<Transport, 'proxy' | 'addresses' | 'http2'> | null): Route {
  const { proxy = null, addresses = [], http2 = null } = transport ?? {};
  const socket = addresses.find(({ address }) => address.startsWith(onSocket));
  return { proxy, unixSocket: socket?.address.slice(onSocket.length) ?? null, http2: http2 !== null };
}

const onSocket = 'unix:';

/** Returns the line that names target, protocol, model and streaming; every output contains it. */
export function targetLine({ target, transport }: Pick<Result, 'target' | 'transport'>): string {
  const { baseUrl, agentId, protocol, stream } = target;
  const service = `${baseUrl ?? 'embedded reference service'}, ${protocol}${agentText(agentId, modelKind(protocol))}`;
  return printable(`target    ${service}${stream ? ', streaming' : ''}${routeText(routeOf(transport))}`);
}

/** Returns a warning for the target and one for its token server if their certificates are not verified. */
export function insecureTexts({ target: { baseUrl, tls }, options }: Pick<Plan, 'target' | 'options'>): string[] {
  return [
    ...(tls.insecure && baseUrl?.startsWith('https:') === true ? [ofTarget] : []),
    ...(options['target.auth.oauth.insecure']?.value === true ? [ofTokenServer] : []),
  ];
}

const ofTarget =
  'INSECURE  the target’s certificate is not verified (--insecure): an attacker on the network can read the key and impersonate the service';
const ofTokenServer =
  'INSECURE  the token server’s certificate is not verified (target.auth.oauth.insecure): an attacker on the network can read the client secret';
