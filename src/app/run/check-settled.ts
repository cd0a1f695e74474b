import { checkBaseUrl, checkApiKey, isFieldValue } from '../../edge/http/request/request-head.ts';
import type { Settled } from '../../plan/settle.ts';
import { invalid } from '../../plan/given-problems.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { problemOfAbortGate, readGates } from '../../result/gates/gates.ts';
import { problemOfFeed } from '../../result/gates/feasible-gates.ts';
import { refusedHost } from '../../plan/host-names.ts';
import { ms, type Ms } from '../../base/time.ts';
import { readSocketLimits } from '../../edge/health/read-socket-limits.ts';
import { connectionNeeds, socketRoom, type SocketLimits, type SocketRoom } from '../../plan/socket-room.ts';
import { forecast, type Forecast } from '../../plan/forecast.ts';
import { meanOf } from '../../plan/distributions.ts';
import { shortageText } from '../../report/plan/socket-words.ts';
import type { Warning } from '../../result/sections/warning.ts';

/** Refuses what no command accepts: gates that cannot be judged, a base URL that cannot be used, a host that is not allowed, a key that no header can carry. Throws a usage error. */
export function checkSettled(settled: Settled, file: string): void {
  const { baseUrl } = settled.plan.target;
  if (baseUrl !== null) checkBaseUrl(new URL(baseUrl));
  checkGates(settled, file);
  checkHost(settled);
  checkCredential(settled);
}

/** Refuses a key, or what a scenario gives in its place, that no header can carry. Throws a usage error; what is wrong is not in it. */
export function checkCredential({ apiKey, auth }: Pick<Settled, 'apiKey' | 'auth'>): void {
  if (auth.kind === 'key') return checkApiKey(apiKey);
  if (auth.isBySession) return;
  if (auth.kind !== 'bearer' && auth.kind !== 'header') return;
  const fields = Object.values(auth.authorize(apiKey));
  if (apiKey !== '' && fields.every(isFieldValue)) return;
  throw new ChatLoadError('usage', {
    message: `target.auth.${auth.kind} holds a character that an HTTP header cannot carry`,
    hint: 'Nothing was sent. Often it ends with a line break copied from a file.',
  });
}

/** Gates are read before anything is sent: one on an unknown metric, or on one that the scenario can never feed, is an error of the scenario. */
export function checkGates({ plan }: Pick<Settled, 'plan'>, file: string): void {
  const problems = readGates(plan).flatMap(({ metric, ...read }) => {
    const problem =
      'problem' in read
        ? read.problem
        : ((metric in plan.abortGates ? problemOfAbortGate(metric) : undefined) ?? problemOfFeed(metric, plan));
    return problem ? [{ path: `gates.${metric}`, message: problem }] : [];
  });
  if (problems.length > 0) throw invalid(file, problems);
}

/** Refuses a target on another machine that is not allowed: a load test of the wrong target is an attack. */
export function checkHost({ plan }: Pick<Settled, 'plan'>): void {
  const host = refusedHost(plan);
  if (host === undefined) return;
  throw new ChatLoadError('usage', {
    message: `The target ${host} is not this machine and not among the hosts that may be loaded (${plan.allowHosts.join(', ') || 'none are named'}).`,
    hint: `Nothing was sent. If you may load it, allow it with --allow-host ${host}, CHAT_LOAD_ALLOW_HOSTS=${host}, or allowHosts: ['${host}'] in the scenario.`,
  });
}

/**
 * Checks before the start whether this process may open as many connections as the load needs. Throws `ChatLoadError`
 * (environment) when it may not; less certain shortages are warnings.
 */
export async function checkSockets(settled: Settled): Promise<Warning[]> {
  const { plan, script } = settled;
  const room = roomOf(settled, forecast(plan, script, assumedReply(settled)), await readSocketLimits());
  const shortages = room.shortages.map((shortage) => ({ shortage, ...shortageText(shortage, room, plan) }));
  const stopping = shortages.filter(({ shortage }) => shortage.stops);
  if (stopping.length > 0)
    throw new ChatLoadError('environment', {
      message: stopping.map(({ message }) => message).join('\n'),
      hint: `${stopping.map(({ remedy }) => remedy).join('\n')} Nothing was sent.`,
    });
  return shortages.map(({ shortage, message, remedy }) => ({
    code: shortage.resource === 'descriptors' ? 'few_descriptors' : 'few_local_ports',
    message: `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`,
    remedy,
  }));
}

/** What the load needs, by any forecast, and what this system gives; what stops a run is seen as a run would see it. */
export async function foreseeSockets(settled: Settled, forecasted: Forecast): Promise<SocketRoom> {
  const { plan, script } = settled;
  const limits = await readSocketLimits();
  const room = roomOf(settled, forecasted, limits);
  const ofRun = roomOf(settled, forecast(plan, script, assumedReply(settled)), limits);
  const stopping = ofRun.shortages.filter(({ stops }) => stops);
  const others = room.shortages.filter(({ resource }) => !stopping.some((each) => each.resource === resource));
  return { ...room, shortages: [...stopping, ...others.map((each) => ({ ...each, stops: false }))] };
}

const roomOf = ({ plan }: Settled, forecasted: Forecast, limits: SocketLimits): SocketRoom =>
  socketRoom(plan, connectionNeeds(plan, forecasted), limits);

const unknownServiceMs = ms(1000);

/** How long a reply is assumed to take: by the embedded service's own latency, else a second. */
export function assumedReply({ embedded }: Settled): Ms {
  return embedded === undefined ? unknownServiceMs : meanOf(embedded.latency);
}
