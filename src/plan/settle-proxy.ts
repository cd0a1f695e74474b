import { ChatLoadError, messageOf } from '../base/errors.ts';
import { basicCredentials, readProxyServer, type ProxyServer } from '../base/proxy-server.ts';
import type { Secrets } from '../base/secrets.ts';
import type { ReadScenario } from '../scenario/schema.ts';
import { noProxy } from '../scenario/way-options.ts';
import { environmentProxy } from './environment-proxy.ts';
import type { Surroundings } from './overlay.ts';

/**
 * The proxy that requests go through: the one that is asked for, else that of the environment, which is not for the
 * embedded service, this machine and Unix sockets. Throws a usage error for a variable that names none.
 */
export function settleProxy(
  { proxy, baseUrl, unixSocket }: Pick<ReadScenario['target'], 'proxy' | 'baseUrl' | 'unixSocket'>,
  { environment }: Pick<Surroundings, 'environment'>,
): ProxyServer | undefined {
  if (proxy !== undefined) return proxy === noProxy ? undefined : readProxyServer(proxy);
  if (baseUrl === undefined || unixSocket !== undefined) return undefined;
  const named = environmentProxy(new URL(baseUrl), environment);
  if (named === undefined) return undefined;
  try {
    return readProxyServer(named.url);
  } catch (cause) {
    throw new ChatLoadError('usage', {
      message: `the proxy in ${named.variable} cannot be used: ${messageOf(cause)}`,
      hint: `Nothing was sent. Change ${named.variable}, or go without a proxy: --proxy none.`,
      cause,
    });
  }
}

/** The same for the OAuth server of its tokens, which is at another address. With http it is this machine, and no proxy is to see the secret. */
export function settleTokenProxy(
  { proxy, auth }: Pick<ReadScenario['target'], 'proxy' | 'auth'>,
  around: Pick<Surroundings, 'environment'>,
): ProxyServer | undefined {
  const baseUrl = auth === undefined || auth === 'none' ? undefined : auth.oauth?.tokenUrl;
  if (baseUrl === undefined || new URL(baseUrl).protocol === 'http:') return undefined;
  return settleProxy({ proxy, baseUrl, unixSocket: undefined }, around);
}

/** Keeps what authorizes at a proxy out of everything that is written. */
export function keepCredentials(secrets: Secrets, proxy: ProxyServer | undefined): void {
  if (proxy?.credentials === undefined) return;
  secrets.settle(proxy.credentials.password);
  secrets.settle(basicCredentials(proxy.credentials).replace('Basic ', ''));
}
