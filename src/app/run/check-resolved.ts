import { checkBaseUrl, checkApiKey, isFieldValue } from '../../edge/http/request/request-head.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { invalid } from '../../plan/given-problems.ts';
import { usageError, environmentError } from '../../base/errors.ts';
import { problemOfAbortGate, problemOfGate, problemOfMetric, readGates } from '../../result/gates/gates.ts';
import { problemOfFeed } from '../../result/gates/feasible-gates.ts';
import { maxGates } from '../../scenario/gate-options.ts';
import type { ScenarioProblem } from '../../scenario/compile-value.ts';
import { isObject } from '../../base/is-object.ts';
import { checkForward, refusedHost } from '../../plan/host-names.ts';
import { ms, type Ms } from '../../base/time.ts';
import { readSocketLimits } from '../../edge/health/read-socket-limits.ts';
import { connectionNeeds, socketRoom, type SocketLimits, type SocketRoom } from '../../plan/socket-room.ts';
import { forecast, type Forecast } from '../../plan/forecast.ts';
import { meanOf } from '../../plan/distributions.ts';
import { shortageText } from '../../report/plan/socket-text.ts';
import type { Warning } from '../../result/sections/warning.ts';

/** Throws a usage error for settings that no command accepts: gates that cannot be evaluated, an unusable base URL, a host that is not allowed, a key that no header can carry. */
export function checkResolved(resolved: ResolvedScenario, file: string): void {
  const { baseUrl } = resolved.plan.target;
  if (baseUrl !== null) checkBaseUrl(new URL(baseUrl));
  checkGates(resolved, file);
  checkHost(resolved);
  checkCredential(resolved);
}

/** Throws a usage error, without the value, for a key or other credential that no header can carry. */
export function checkCredential({ apiKey, auth }: Pick<ResolvedScenario, 'apiKey' | 'auth'>): void {
  if (auth.kind === 'key') return checkApiKey(apiKey);
  if (auth.isBySession) return;
  if (auth.kind !== 'bearer' && auth.kind !== 'header') return;
  const fields = Object.values(auth.authorize(apiKey));
  if (apiKey !== '' && fields.every(isFieldValue)) return;
  throw usageError(
    `target.auth.${auth.kind} contains a character that an HTTP header cannot carry`,
    'Nothing was sent. It may end with a line break copied from a file.',
  );
}

/** Returns the problems of gates as written that do not depend on the rest of the scenario: unknown metrics, and conditions. */
export function problemsOfGates(gates: unknown): ScenarioProblem[] {
  if (!isObject(gates)) return [];
  const entries = Object.entries(gates).slice(0, maxGates);
  return entries.flatMap(([metric, written]) => {
    const condition = isObject(written) ? written['gate'] : written;
    // The schema reports conditions that are not texts.
    const problem = typeof condition === 'string' ? problemOfGate(metric, condition) : problemOfMetric(metric);
    return problem === undefined ? [] : [{ path: `gates.${metric}`, message: problem }];
  });
}

/** Checks gates before anything is sent. Throws a usage error for an unknown metric, or one without data in this scenario. */
export function checkGates({ plan }: Pick<ResolvedScenario, 'plan'>, file: string): void {
  const problems = readGates(plan).flatMap(({ metric, ...read }) => {
    const problem =
      'problem' in read
        ? read.problem
        : ((metric in plan.abortGates ? problemOfAbortGate(metric) : undefined) ?? problemOfFeed(metric, plan));
    return problem ? [{ path: `gates.${metric}`, message: problem }] : [];
  });
  if (problems.length > 0) throw invalid(file, problems);
}

/** Throws a usage error for a target on another machine that is not allowed, because a load test of the wrong target is an attack. */
export function checkHost({ plan }: Pick<ResolvedScenario, 'plan'>): void {
  checkForward(plan.model?.forward, plan.allowHosts);
  const host = refusedHost(plan);
  if (host === undefined) return;
  throw usageError(
    `The target ${host} is neither this machine nor an allowed host (allowed: ${plan.allowHosts.join(', ') || 'none'}).`,
    `Nothing was sent. If you may load it, allow it with --allow-host ${host}, CHAT_LOAD_ALLOW_HOSTS=${host}, or allowHosts: ['${host}'] in the scenario.`,
  );
}

/**
 * Checks before the start whether this process can open the connections that the load needs. Throws an environment error
 * if it cannot; returns less certain shortages as warnings.
 */
export async function checkSockets(resolved: ResolvedScenario): Promise<Warning[]> {
  const { plan, script } = resolved;
  const room = roomOf(resolved, forecast(plan, script, assumedReply(resolved)), await readSocketLimits());
  const shortages = room.shortages.map((shortage) => ({ shortage, ...shortageText(shortage, room, plan) }));
  const stopping = shortages.filter(({ shortage }) => shortage.stops);
  if (stopping.length > 0)
    throw environmentError(
      stopping.map(({ message }) => message).join('\n'),
      `${stopping.map(({ remedy }) => remedy).join('\n')} Nothing was sent.`,
    );
  return shortages.map(({ shortage, message, remedy }) => ({
    code: shortage.resource === 'descriptors' ? 'few_descriptors' : 'few_local_ports',
    message: `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`,
    remedy,
  }));
}

/** Compares the sockets that a forecast needs with the limits of this system; shortages that would stop a run are determined as in a run. */
export async function foreseeSockets(resolved: ResolvedScenario, forecasted: Forecast): Promise<SocketRoom> {
  const { plan, script } = resolved;
  const limits = await readSocketLimits();
  const room = roomOf(resolved, forecasted, limits);
  const ofRun = roomOf(resolved, forecast(plan, script, assumedReply(resolved)), limits);
  const stopping = ofRun.shortages.filter(({ stops }) => stops);
  const others = room.shortages.filter(({ resource }) => !stopping.some((each) => each.resource === resource));
  return { ...room, shortages: [...stopping, ...others.map((each) => ({ ...each, stops: false }))] };
}

const roomOf = ({ plan }: ResolvedScenario, forecasted: Forecast, limits: SocketLimits): SocketRoom =>
  socketRoom(plan, connectionNeeds(plan, forecasted), limits);

type Services = Pick<ResolvedScenario, 'embedded' | 'model'>;

/** Returns the source of the assumed reply time: the embedded service, the model service if it replies itself, or a guess. */
export function replySource({ embedded, model }: Services): 'embedded' | 'model' | 'guess' {
  if (embedded !== undefined) return 'embedded';
  return model === undefined || model.forward !== undefined ? 'guess' : 'model';
}

/** Returns the assumed reply time: the latency of the embedded service, or that of the model calls of a turn, otherwise 1 s. */
export function assumedReply(resolved: Services): Ms {
  const { embedded, model } = resolved;
  if (embedded !== undefined) return meanOf(embedded.latency);
  if (model === undefined || replySource(resolved) === 'guess') return ms(1000);
  const { calls, parallel } = model.tools;
  return ms(meanOf(model.latency) * (1 + (parallel ? Math.min(1, calls) : calls)));
}
