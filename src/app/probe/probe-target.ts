import type { Ms } from '../../base/time.ts';
import { authorizationOf, urlOf } from '../../edge/http/request/request-head.ts';
import { reachTarget, withService } from '../run/with-target.ts';
import { runRawLoad } from '../../edge/probe/run-raw-load.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { withFirstIdentity, type Settled } from '../../plan/settle.ts';
import { steadyLoad } from '../../plan/level-load.ts';
import { endAfter } from '../../probe/probe-ceiling.ts';
import { buildProbe, type ProbeDocument } from '../../probe/build-probe.ts';
import type { LoadFigures, ProbeEnd, ProbeFacts, ProbeStep } from '../../probe/probe.ts';
import { refusedKey } from '../../protocol/refused-key.ts';
import { checkHost, checkSockets } from '../run/check-settled.ts';
import { measureGenerator, runOwnLoad, asProbed, isOneMessage, isPreparable } from './own-load.ts';
import { withAccess } from '../run/open-access.ts';
import { senderOptions } from '../run/open-generator.ts';
import { growPool, type SessionPool } from './session-pool.ts';

export interface ProbeBounds {
  maxConnections: number;
  stepMs: Ms;
  /** Maximum number of turns sent to the target. */
  maxTurns: number;
}

export interface Probing {
  settled: Settled;
  bounds: ProbeBounds;
  stop: AbortSignal;
  /** Called with the current activity. */
  notify: (text: string) => void;
}

/** Probes a target and evaluates the findings; `isOwn` is true for built-in sessions. */
export async function performProbe({ isOwn, ...probing }: Probing & { isOwn: boolean }): Promise<ProbeDocument> {
  const { settled, warnings: onProtocol } = asProbed(probing.settled);
  const startedAt = new Date().toISOString();
  const began = performance.now();
  const { baseUrl, reached, ...seen } = await probeTarget({ ...probing, settled });
  const facts = {
    ...seen,
    warnings: [...onProtocol, ...seen.warnings],
    baseUrl: settled.plan.target.baseUrl ?? baseUrl.origin,
    embedded: settled.embedded !== undefined,
    startedAt,
    elapsedMs: performance.now() - began,
    toolVersion,
  };
  return buildProbe(facts, { ...reached, isOwn });
}

/** Findings about a target, as far as the probe got. */
interface Probed extends Pick<
  ProbeFacts,
  'steps' | 'end' | 'generator' | 'unsteady' | 'refused' | 'turnsSent' | 'warnings'
> {
  baseUrl: URL;
  /** Scenario with the HTTP version of the target. */
  reached: Settled;
}

/** Measures the generator, then the target at 1, 2, 4, ... connections, each twice: by autocannon and by chat-load. */
async function probeTarget(probing: Probing): Promise<Probed> {
  checkHost(probing.settled);
  const { settled, bounds } = probing;
  const widest = steadyLoad(settled, { concurrency: bounds.maxConnections, sessions: null });
  const warnings = await checkSockets({ ...settled, ...widest });
  return withService(settled, 1, async (baseUrl) => {
    const { reached } = await reachTarget(settled, senderOptions(baseUrl, settled));
    return withAccess(reached, async (opened) => {
      probing.notify('measuring this generator');
      // Before autocannon runs in this process, so that only the generator's own code is compiled.
      const generator = await measureGenerator(opened, probing.stop);
      const climb = new Climb({ ...probing, settled: withFirstIdentity(opened) }, baseUrl);
      return { ...(await climb.climb()), baseUrl, reached, generator, warnings };
    });
  });
}

class Climb {
  readonly #probing: Probing;
  readonly #baseUrl: URL;
  readonly #steps: ProbeStep[] = [];
  #pool: SessionPool = { sessions: [], refused: undefined };
  #turnsSent = 0;
  #unsteady = false;

  constructor(probing: Probing, baseUrl: URL) {
    this.#probing = probing;
    this.#baseUrl = baseUrl;
  }

  async climb(): Promise<Pick<Probed, 'steps' | 'end' | 'unsteady' | 'refused' | 'turnsSent'>> {
    const counts = connectionCounts(this.#probing.bounds.maxConnections);
    let end: ProbeEnd | undefined;
    for (const [index, connections] of counts.entries()) {
      end = await this.#step(connections, counts.length - index);
      if (end !== undefined) break;
    }
    return {
      steps: this.#steps,
      end: end ?? 'most_connections',
      unsteady: this.#unsteady,
      refused: this.#pool.refused,
      turnsSent: this.#turnsSent,
    };
  }

  /** Performs one step; the remaining turns are divided among the remaining loads. Returns the reason if the probe ends. */
  async #step(connections: number, stepsLeft: number): Promise<ProbeEnd | undefined> {
    const { settled, bounds, stop, notify } = this.#probing;
    const isStopped = (): boolean => stop.aborted;
    notify(`${String(connections)} ${connections === 1 ? 'connection' : 'connections'}`);
    if (isPreparable(settled.script.protocol))
      this.#pool = await growPool(this.#pool, connections, { settled, baseUrl: this.#baseUrl, stop });
    refuseKey(this.#pool.refused?.outcome);
    if (isStopped()) return 'signal';
    const { protocol } = settled.script;
    if (this.#pool.sessions.length < connections && isPreparable(protocol)) return 'sessions_refused';
    const share = (loads: number): number => Math.floor((bounds.maxTurns - this.#turnsSent) / loads);
    if (share(2) < connections) return 'turns_spent';
    const { localAddresses, http2 } = settled.plan.target;
    // autocannon supports neither local addresses, proxies nor HTTP/2, and sends the key without verifying the certificate.
    const isBlind =
      this.#baseUrl.protocol === 'https:' || settled.proxy !== undefined || localAddresses.length > 0 || http2;
    const isAside = this.#unsteady || isBlind || !isPreparable(protocol);
    const autocannon = isAside ? null : await this.#raw(connections, Math.max(connections, share(2 * stepsLeft)));
    const left = Math.max(connections, share(2 * stepsLeft - 1));
    const chatLoad = isStopped() ? null : await this.#own(connections, left);
    this.#steps.push({ connections, autocannon, chatLoad });
    return isStopped() ? 'signal' : endAfter(this.#steps);
  }

  async #raw(connections: number, maxTurns: number): Promise<LoadFigures | null> {
    const { settled, bounds, stop } = this.#probing;
    const sessions = this.#pool.sessions.slice(0, connections);
    const route = sessions[0]?.turns[0]?.request.route;
    if (route === undefined) return null;
    const { unsteady, ...figures } = await runRawLoad({
      url: urlOf(this.#baseUrl, route),
      headers: route.headers,
      authorization: authorizationOf(senderOptions(this.#baseUrl, settled)),
      unixSocket: settled.plan.target.unixSocket,
      sessions,
      durationMs: bounds.stepMs,
      maxTurns,
      timeoutMs: settled.plan.timeoutMs,
      stop,
    });
    this.#turnsSent += figures.sent;
    this.#unsteady = unsteady;
    checkKey(figures);
    return unsteady ? null : figures;
  }

  async #own(connections: number, maxTurns: number): Promise<LoadFigures> {
    const { settled, bounds, stop: signal } = this.#probing;
    const { stop, ...figures } = await runOwnLoad({
      settled,
      baseUrl: this.#baseUrl,
      concurrency: connections,
      durationMs: bounds.stepMs,
      ...(isOneMessage(settled.script.protocol)
        ? { turns: 1, sessions: maxTurns }
        : { turns: Math.floor(maxTurns / connections) }),
      stop: signal,
    });
    this.#turnsSent += figures.sent;
    if (stop?.kind === 'bug' || stop?.kind === 'scenario_error') throw stop.error;
    checkKey(figures);
    if (stop?.kind === 'circuit') refuseKey('unauthorized');
    return figures;
  }
}

/** Returns 1, 2, 4, ... and the maximum. */
function connectionCounts(max: number): number[] {
  const doubled = Array.from({ length: Math.floor(Math.log2(max)) + 1 }, (_, power) => 2 ** power);
  return doubled.at(-1) === max ? doubled : [...doubled, max];
}

const checkKey = ({ classes }: LoadFigures): void =>
  refuseKey(classes.unauthorized ? 'unauthorized' : classes.forbidden ? 'forbidden' : undefined);

function refuseKey(outcome: string | undefined): void {
  if (outcome !== 'unauthorized' && outcome !== 'forbidden') return;
  throw refusedKey(outcome);
}
