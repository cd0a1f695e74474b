import { availableParallelism } from 'node:os';
import { ms } from '../../base/time.ts';
import {
  isComplete,
  type Contact,
  type ContactExchange,
  type ContactFinding,
} from '../../conformance/contact/contact.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { probeConnection } from '../../edge/http/probe-connection.ts';
import { followMetrics } from '../../edge/target-metrics/follow-metrics.ts';
import { coreNeedsOf } from '../../plan/core-needs.ts';
import { forecast } from '../../plan/forecast.ts';
import { environmentProxy, proxyVariables } from '../../plan/resolve-proxy.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { planSession } from '../../plan/session-plan.ts';
import { findingsOf, type Examined } from '../../report/contact/findings.ts';
import { mean } from '../../statistics/averages.ts';
import type { Transport } from '../../session/send.ts';
import { assumedReply, foreseeSockets } from '../run/check-resolved.ts';
import { senderOptions } from '../run/open-generator.ts';
import { verificationOf } from '../run/perform-run.ts';
import type { Stops } from '../run/ports.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface Examining {
  resolved: ResolvedScenario;
  baseUrl: URL;
  stops: Stops;
  tls: Transport['tls'];
  environment: Environment;
  /** Sends the first message in another conversation. Returns its exchanges. */
  repeat: () => Promise<readonly ContactExchange[]>;
}

/** Examines the service, the way to it and this machine, after a first conversation. */
export async function examine(contact: Contact, examining: Examining): Promise<ContactFinding[]> {
  const { resolved, stops, repeat, tls } = examining;
  const { plan, script } = resolved;
  const oks = contact.exchanges.filter(({ turn, reading }) => turn > 0 && reading?.outcome === 'ok');
  const replyMs =
    oks.length === 0
      ? assumedReply(resolved)
      : ms(mean(oks.map(({ response, polled }) => polled?.afterMs ?? response.totalMs)));
  const forecasted = forecast(plan, script, replyMs);
  const first = oks.find(({ turn }) => turn === 1);
  const other = isComplete(contact) && first !== undefined ? await repeat() : [];
  const again = other.find(({ turn }) => turn === 1);
  const createdId = createdIn(contact.exchanges);
  const following = { tls: verificationOf(resolved), cut: stops.cut, warn: () => undefined };
  const metrics = await followMetrics(plan.target.metrics ?? [], following);
  metrics.close();
  return findingsOf(contact, {
    plan,
    repeated: first && again && { first, again },
    lacksSession: script.protocol.lacksSession === true,
    sharedId: createdId === createdIn(other) ? createdId : undefined,
    differs: messageOf(resolved, 1) !== messageOf(resolved, 2),
    sockets: await foreseeSockets(resolved, forecasted),
    cores: coreNeedsOf(forecasted),
    availableCores: availableParallelism(),
    proxies: proxiesOf(examining),
    certificate: tls && { ...tls, refusal: tls.isVerified ? undefined : await refusalOf(examining) },
    metrics: metrics.soFar(),
  });
}

/** Returns the id that a creation returned; `undefined`: there was none, or it is a secret, of which only a mark is known. */
function createdIn(exchanges: readonly ContactExchange[]): string | undefined {
  const id = exchanges.findLast(({ turn, reading }) => turn === 0 && reading?.id !== undefined)?.reading?.id;
  return id?.startsWith('[') === true ? undefined : id;
}

const messageOf = ({ script }: ResolvedScenario, session: number): string =>
  planSession({ ...script, guardPrompts: undefined }, session).message(1);

function proxiesOf({ resolved, baseUrl, environment }: Examining): Examined['proxies'] {
  const set = proxyVariables.filter(
    (name) => name !== 'NO_PROXY' && (environment[name] ?? environment[name.toLowerCase()] ?? '') !== '',
  );
  const isImplicit = resolved.plan.options['target.proxy']?.from === 'default';
  const exempting = environmentProxy(baseUrl, { ...environment, NO_PROXY: '', no_proxy: '' });
  return {
    set,
    used: isImplicit && resolved.proxy !== undefined ? environmentProxy(baseUrl, environment)?.variable : undefined,
    isExempt: exempting !== undefined && environmentProxy(baseUrl, environment) === undefined,
  };
}

/** Returns why an unverified certificate would be refused; `undefined`: it would not. */
async function refusalOf({ resolved, baseUrl }: Examining): Promise<string | undefined> {
  const options = senderOptions(baseUrl, resolved);
  try {
    await probeConnection({ ...options, tls: { ...options.tls, rejectUnauthorized: true } });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ChatLoadError)) throw thrown;
    return thrown.message.replace(/^.*? cannot be reached: /, '');
  }
}
