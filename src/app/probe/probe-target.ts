import { advise } from '../../base/purposes.ts';
import { usageError } from '../../base/errors.ts';
import type { Ms } from '../../base/time.ts';
import { authorizationOf, urlOf } from '../../edge/http/request/request-head.ts';
import { reachTarget } from '../run/with-target.ts';
import { withService } from '../run/with-service.ts';
import { withAccess } from '../run/with-access.ts';
import { runRawLoad } from '../../edge/probe/run-raw-load.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { withFirstIdentity, type ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { steadyLoad } from '../../plan/level-load.ts';
import { isAnonymous } from '../../plan/resolve-auth.ts';
import { endAfter } from '../../probe/probe-ceiling.ts';
import { buildProbe, type ProbeDocument } from '../../probe/build-probe.ts';
import type { LoadFigures, ProbeEnd, ProbeFacts, ProbeStep } from '../../probe/probe.ts';
import { refusedKey } from '../../protocol/refused-key.ts';
import { checkHost, checkSockets } from '../run/check-resolved.ts';
import { measureGenerator, runOwnLoad, asProbed, isOneMessage, isPreparable } from './own-load.ts';
import { senderOptions } from '../run/open-generator.ts';
import { growPool, type SessionPool } from './session-pool.ts';

export interface ProbeBounds {
  maxConnections: number;
  stepMs: Ms;
  /** Maximum number of turns sent to the target. */
  maxTurns: number;
}

interface Probing {
  resolved: ResolvedScenario;
  bounds: ProbeBounds;
  stop: AbortSignal;
  notify: (text: string) => void;
}

/** Probes a target and evaluates the findings; `isOwn` is true for built-in sessions. */
export async function performProbe({ isOwn, ...probing }: Probing & { isOwn: boolean }): Promise<ProbeDocument> {
  requireHttp(probing.resolved);
  const { resolved, warnings: onProtocol } = asProbed(probing.resolved);
  const startedAt = new Date().toISOString();
  const began = performance.now();
  const { baseUrl, reached, ...seen } = await probeTarget({ ...probing, resolved });
  const facts = {
    ...seen,
    warnings: [...onProtocol, ...seen.warnings],
    baseUrl: resolved.plan.target.baseUrl ?? baseUrl.origin,
    embedded: resolved.embedded !== undefined,
    startedAt,
    elapsedMs: performance.now() - began,
    toolVersion,
  };
  return buildProbe(facts, { ...reached, isOwn });
}

/** Throws a usage error for a protocol over WebSocket: a probe sends requests over HTTP. */
function requireHttp({ script: { protocol } }: ResolvedScenario): void {
  if (protocol.transport === undefined) return;
  throw usageError(
    `probe is not available for the protocol ${protocol.name}: it sends requests over HTTP, not over WebSocket.`,
    `Nothing was sent.${advise('highest_load', (command) => ` To find the maximum load, use ${command}.`)}`,
  );
}

interface Probed extends Pick<
  ProbeFacts,
  'steps' | 'end' | 'generator' | 'unsteady' | 'refused' | 'turnsSent' | 'warnings'
> {
  baseUrl: URL;
  /** Scenario with the HTTP version of the target. */
  reached: ResolvedScenario;
}

/** Measures the generator, then the target at 1, 2, 4, ... connections, each twice: by autocannon and by chat-load. */
async function probeTarget(probing: Probing): Promise<Probed> {
  checkHost(probing.resolved);
  const { resolved, bounds } = probing;
  const widest = steadyLoad(resolved, { concurrency: bounds.maxConnections, sessions: null });
  const warnings = await checkSockets({ ...resolved, ...widest });
  return withService(resolved, { note: probing.notify }, async (baseUrl) => {
    const { reached } = await reachTarget(resolved, senderOptions(baseUrl, resolved));
    return withAccess(reached, async (opened) => {
      probing.notify('measuring this generator');
      // Before autocannon runs in this process, so that only the generator's own code is compiled.
      const generator = await measureGenerator(opened, probing.stop);
      const found = await climb({ ...probing, resolved: withFirstIdentity(opened) }, baseUrl);
      return { ...found, baseUrl, reached, generator, warnings };
    });
  });
}

/** Climbs from one connection to the maximum. */
async function climb(
  { resolved, bounds, stop, notify }: Probing,
  baseUrl: URL,
): Promise<Pick<Probed, 'steps' | 'end' | 'unsteady' | 'refused' | 'turnsSent'>> {
  const { target, timeoutMs } = resolved.plan;
  const { protocol } = resolved.script;
  const steps: ProbeStep[] = [];
  let pool: SessionPool = { sessions: [], refused: undefined };
  let turnsSent = 0;
  let isUnsteady = false;

  const refuseKey = (outcome: string | undefined): void => {
    if (outcome !== 'unauthorized' && outcome !== 'forbidden') return;
    throw refusedKey({ seen: outcome, auth: target.auth, isAnonymous: isAnonymous(target) });
  };

  const runRaw = async (connections: number, maxTurns: number): Promise<LoadFigures | null> => {
    const sessions = pool.sessions.slice(0, connections);
    const route = sessions[0]?.turns[0]?.request.route;
    if (route === undefined) return null;
    const { unsteady, ...figures } = await runRawLoad({
      url: urlOf(baseUrl, route),
      headers: route.headers,
      authorization: authorizationOf(senderOptions(baseUrl, resolved)),
      unixSocket: target.unixSocket,
      sessions,
      durationMs: bounds.stepMs,
      maxTurns,
      timeoutMs,
      stop,
      redact: (text) => resolved.secrets.redact(text),
    });
    turnsSent += figures.sent;
    isUnsteady = unsteady;
    refuseKey(refusedIn(figures));
    return unsteady ? null : figures;
  };

  const runOwn = async (connections: number, maxTurns: number): Promise<LoadFigures> => {
    const { stop: ended, ...figures } = await runOwnLoad({
      resolved,
      baseUrl,
      concurrency: connections,
      durationMs: bounds.stepMs,
      ...(isOneMessage(protocol) ? { turns: 1, sessions: maxTurns } : { turns: Math.floor(maxTurns / connections) }),
      stop,
    });
    turnsSent += figures.sent;
    if (ended?.kind === 'bug' || ended?.kind === 'scenario_error') throw ended.error;
    refuseKey(refusedIn(figures) ?? (ended?.kind === 'circuit' ? 'unauthorized' : undefined));
    return figures;
  };

  /** Performs one step; the remaining turns are divided among the remaining loads. Returns the reason if the probe ends. */
  const step = async (connections: number, stepsLeft: number): Promise<ProbeEnd | undefined> => {
    const isStopped = (): boolean => stop.aborted;
    notify(`${String(connections)} ${connections === 1 ? 'connection' : 'connections'}`);
    if (isPreparable(protocol)) pool = await growPool(pool, connections, { resolved, baseUrl, stop });
    refuseKey(pool.refused?.outcome);
    if (isStopped()) return 'signal';
    if (pool.sessions.length < connections && isPreparable(protocol)) return 'sessions_refused';
    const share = (loads: number): number => Math.floor((bounds.maxTurns - turnsSent) / loads);
    if (share(2) < connections) return 'turns_spent';
    const { localAddresses, http2 } = target;
    // autocannon supports neither local addresses, proxies nor HTTP/2, and sends the key without verifying the certificate.
    const isBlind = baseUrl.protocol === 'https:' || resolved.proxy !== undefined || localAddresses.length > 0 || http2;
    const isAside = isUnsteady || isBlind || !isPreparable(protocol);
    const autocannon = isAside ? null : await runRaw(connections, Math.max(connections, share(2 * stepsLeft)));
    const left = Math.max(connections, share(2 * stepsLeft - 1));
    const chatLoad = isStopped() ? null : await runOwn(connections, left);
    steps.push({ connections, autocannon, chatLoad });
    return isStopped() ? 'signal' : endAfter(steps);
  };

  const counts = connectionCounts(bounds.maxConnections);
  let end: ProbeEnd | undefined;
  for (const [index, connections] of counts.entries()) {
    end = await step(connections, counts.length - index);
    if (end !== undefined) break;
  }
  return { steps, end: end ?? 'most_connections', unsteady: isUnsteady, refused: pool.refused, turnsSent };
}

/** Returns 1, 2, 4, ... and the maximum. */
function connectionCounts(max: number): number[] {
  const doubled = Array.from({ length: Math.floor(Math.log2(max)) + 1 }, (_, power) => 2 ** power);
  return doubled.at(-1) === max ? doubled : [...doubled, max];
}

function refusedIn({ classes }: LoadFigures): string | undefined {
  if (classes.unauthorized) return 'unauthorized';
  return classes.forbidden ? 'forbidden' : undefined;
}
