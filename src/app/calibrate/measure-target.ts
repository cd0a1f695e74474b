import { environmentError, usageError } from '../../base/errors.ts';
import { advise } from '../../base/purposes.ts';
import { ms, type Ms } from '../../base/time.ts';
import type { MeasuredTarget } from '../../calibrate/calibration-document.ts';
import { ceilingOf, endAfter, type CeilingEnd, type CeilingStep } from '../../calibrate/target-ceiling.ts';
import { targetWarnings, type Findings } from '../../calibrate/target-warnings.ts';
import { openRelay } from '../../edge/http/open-relay.ts';
import { runRawLoad } from '../../edge/calibrate/run-raw-load.ts';
import { aimSocket } from '../../edge/http/connect/socket-aim.ts';
import { authorizationOf } from '../../edge/http/request/request-head.ts';
import { forecast } from '../../plan/forecast.ts';
import { isAnonymous } from '../../plan/resolve-auth.ts';
import { withFirstIdentity, type ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { refusedKey } from '../../protocol/refused-key.ts';
import { senderOptions } from '../run/open-generator.ts';
import { withAccess } from '../run/with-access.ts';
import { withService } from '../run/with-service.ts';
import { reachTarget } from '../run/with-target.ts';
import { lowerCase, prepareSessions, type PreparedSessions } from './prepare-sessions.ts';

export interface CeilingBounds {
  maxConnections: number;
  stepMs: Ms;
  /** Maximum number of turns sent to the target. */
  maxTurns: number;
}

export interface TargetMeasurement {
  resolved: ResolvedScenario;
  /** True for built-in messages. */
  isOwn: boolean;
  bounds: CeilingBounds;
  stop: AbortSignal;
  notify: (text: string) => void;
}

/**
 * Measures the maximum rate of a target: closed load by autocannon at 1, 2, 4, ... connections, with the first turns of a
 * scenario's sessions. Resolves with `undefined` if it was stopped.
 */
export async function measureTarget({ isOwn, ...asked }: TargetMeasurement): Promise<MeasuredTarget | undefined> {
  requireRaw(asked.resolved);
  const { resolved, notify, stop } = asked;
  return withService(resolved, { note: notify, stop }, async (baseUrl) => {
    const { reached } = await reachTarget(resolved, senderOptions(baseUrl, resolved));
    if (reached.plan.target.http2) throw environmentError(noHttp2, nothingSent());
    const climbed = await withAccess(reached, (opened) =>
      withRelay(opened, baseUrl, (relay) => climb({ ...asked, resolved: withFirstIdentity(opened) }, baseUrl, relay)),
    );
    return stop.aborted ? undefined : describeTarget(climbed, { resolved, isOwn, baseUrl });
  });
}

const noHttp2 = 'autocannon, by which calibrate loads a target, does not support HTTP/2.';
const nothingSent = (): string =>
  `Nothing was sent.${advise('highest_load', (command) => ` To find the maximum load, use ${command}.`)}`;

/** Throws a usage error for turns that are not one request over HTTP that is known in advance, and its response. */
function requireRaw({ script: { protocol }, auth }: ResolvedScenario): void {
  const { transport, listens, otherOrigins, pollEveryMs } = protocol;
  const cause =
    transport === undefined
      ? listens !== undefined || otherOrigins === true || pollEveryMs !== undefined
        ? 'its replies follow the responses to messages'
        : auth.signedWith === undefined
          ? undefined
          : 'every request is signed at the time when it is sent'
      : 'it sends requests over HTTP, not over WebSocket';
  if (cause !== undefined)
    throw usageError(`calibrate is not available for the protocol ${protocol.name}: ${cause}.`, nothingSent());
}

/** Calls a function with the relay that everything but a plain connection needs. */
async function withRelay<Made>(
  resolved: ResolvedScenario,
  baseUrl: URL,
  perform: (relay: string | undefined) => Promise<Made>,
): Promise<Made> {
  const { localAddresses, unixSocket, resolve } = resolved.plan.target;
  const isPlain =
    baseUrl.protocol === 'http:' && resolved.proxy === undefined && unixSocket === null && localAddresses.length === 0;
  if (isPlain && resolve === null) return perform(undefined);
  const options = senderOptions(baseUrl, resolved);
  const relay = await openRelay(aimSocket(baseUrl, options.tls, { ...options, tunnelsAlways: true }));
  try {
    return await perform(relay.path);
  } finally {
    await relay.close();
  }
}

interface Climbed extends Pick<Findings, 'refused' | 'isUnsteady'> {
  steps: readonly CeilingStep[];
  end: CeilingEnd;
  turnsSent: number;
}

/** Climbs from one connection to the maximum. */
async function climb(
  { resolved, bounds, stop, notify }: Omit<TargetMeasurement, 'isOwn'>,
  baseUrl: URL,
  relay: string | undefined,
): Promise<Climbed> {
  const { target, timeoutMs } = resolved.plan;
  const origin = new URL(`http://${baseUrl.host}`);
  const steps: CeilingStep[] = [];
  let prepared: PreparedSessions = { sessions: [], refused: undefined };
  let turnsSent = 0;
  let isUnsteady = false;

  const refuseKey = (outcome: string | undefined): void => {
    if (outcome !== 'unauthorized' && outcome !== 'forbidden') return;
    throw refusedKey({ seen: outcome, auth: target.auth, isAnonymous: isAnonymous(target) });
  };

  /** Performs one step, with its share of the remaining turns. Returns the reason if it is the last one. */
  const step = async (connections: number, stepsLeft: number): Promise<CeilingEnd | undefined> => {
    const last = steps.at(-1);
    const soFar = last === undefined ? '' : `, after ${last.turnsPerSecond.toFixed(0)} turns/s`;
    notify(`${String(connections)} ${connections === 1 ? 'connection' : 'connections'}${soFar}`);
    const turnsLeft = bounds.maxTurns - turnsSent;
    if (turnsLeft < connections) return 'turns_spent';
    prepared = await prepareSessions(prepared, connections, { resolved, baseUrl, stop });
    refuseKey(prepared.refused?.outcome);
    if (prepared.sessions.length < connections) return 'sessions_refused';
    const { unsteady, ...figures } = await runRawLoad({
      origin,
      relay,
      headers: {
        ...lowerCase(authorizationOf(senderOptions(baseUrl, resolved))),
        host: baseUrl.host,
        'accept-encoding': 'identity',
      },
      sessions: prepared.sessions.slice(0, connections),
      durationMs: bounds.stepMs,
      maxTurns: Math.max(connections, Math.floor(turnsLeft / stepsLeft)),
      timeoutMs,
      stop,
      redact: (text) => resolved.secrets.redact(text),
    });
    turnsSent += figures.sent;
    isUnsteady = unsteady;
    const { unauthorized, forbidden } = figures.classes;
    refuseKey(unauthorized ? 'unauthorized' : forbidden ? 'forbidden' : undefined);
    if (unsteady) return 'connections_closed';
    steps.push({ connections, ...figures });
    return endAfter(steps);
  };

  const counts = connectionCounts(bounds.maxConnections);
  let end: CeilingEnd | undefined;
  for (const [index, connections] of counts.entries()) {
    if (stop.aborted) break;
    end = await step(connections, counts.length - index);
    if (end !== undefined) break;
  }
  return { steps, end: end ?? 'most_connections', isUnsteady, refused: prepared.refused, turnsSent };
}

/** Returns 1, 2, 4, ... and the maximum. */
function connectionCounts(max: number): number[] {
  const doubled = Array.from({ length: Math.floor(Math.log2(max)) + 1 }, (_, power) => 2 ** power);
  return doubled.at(-1) === max ? doubled : [...doubled, max];
}

function describeTarget(
  { steps, end, turnsSent, ...found }: Climbed,
  {
    resolved: { plan, script, embedded },
    isOwn,
    baseUrl,
  }: Pick<TargetMeasurement, 'resolved' | 'isOwn'> & { baseUrl: URL },
): MeasuredTarget {
  const ceiling = ceilingOf(steps, end);
  const alonePerSecond = steps[0]?.turnsPerSecond ?? 0;
  // The service's capacity has been measured, so the forecast does not assume one.
  const asked = { ...plan, embedded: null };
  return {
    baseUrl: plan.target.baseUrl ?? baseUrl.origin,
    embedded: embedded !== undefined,
    agentId: plan.target.agentId,
    scenario: isOwn ? null : plan.name,
    steps: [...steps],
    end,
    turnsSent,
    ceiling: ceiling ?? null,
    plannedPerSecond:
      isOwn || alonePerSecond === 0 ? null : forecast(asked, script, ms(1000 / alonePerSecond)).peakTurnsPerSecond,
    warnings: targetWarnings({ steps, ceiling, ...found }, plan.target),
  };
}
