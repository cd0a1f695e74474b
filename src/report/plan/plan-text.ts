import { ms } from '../../base/time.ts';
import type { Forecast } from '../../plan/forecast.ts';
import { modelVariables } from '../../plan/model-address.ts';
import type { Arrivals, Load, ModelPlan, Plan, RetryPolicy, Segment, TracePlan } from '../../plan/plan.ts';
import { meanTurns } from '../../plan/distributions.ts';
import { levelStepMs } from '../../plan/replay.ts';
import { countOf, formatCount, formatMs, formatNumber, formatPerSecond, formatRate } from '../../base/format.ts';
import type { TraceInput } from '../../trace/trace.ts';
import type { CoreNeeds } from '../../plan/core-needs.ts';

/** Describes the load model: `closed: the next session starts when one ends`. */
export function loadText({ load }: Plan): string {
  const cap = load.maxTurnsInFlight === null ? '' : `, at most ${countOf(load.maxTurnsInFlight, 'turn')} in flight`;
  if (load.model === 'closed') return `closed: the next session starts when one ends${cap}`;
  const bound =
    load.maxConcurrency === null
      ? ''
      : `, at most ${countOf(load.maxConcurrency, 'session')} live (others ${load.whenFull === 'wait' ? 'wait' : 'are dropped'})`;
  return `open: ${load.trace === undefined ? `${arrivalsText(load.arrivals)} arrivals` : traceText(load.trace)}${bound}${cap}`;
}

function arrivalsText(arrivals: Arrivals): string {
  if (arrivals.kind === 'constant') return 'constant';
  return arrivals.burstiness === 1 ? 'Poisson' : `gamma (k = ${String(arrivals.burstiness)})`;
}

/** Describes a replayed trace: `as recorded in trace.csv (burstgpt, times: seconds), from 1h 00m, for 10m 00s, at 2 x speed`. */
export function traceText(trace: TracePlan): string {
  const { file, form, times, fromMs, forMs, speed, skipped, doubtful } = trace;
  const facts = [
    form,
    `times: ${times}`,
    ...inputText(trace),
    ...(skipped.lines === 0 ? [] : [`${countOf(skipped.lines, 'line')} skipped`]),
    ...(doubtful === undefined ? [] : [countOf(doubtful.lines, 'doubtful line')]),
  ];
  return [
    `as recorded in ${file} (${facts.join(', ')})`,
    ...(fromMs === 0 ? [] : [`from ${formatMs(fromMs)}`]),
    ...(forMs === null ? [] : [`for ${formatMs(forMs)}`]),
    ...(speed === 1 ? [] : [`at ${formatNumber(speed)} x speed`]),
  ].join(', ');
}

const inputTexts: Readonly<Record<TraceInput, string>> = {
  whole: 'the whole conversation',
  fresh: 'the message alone',
};

/** Describes the content of the input tokens of later turns; nothing if there are none. */
function inputText({ inputs, columns }: TracePlan): string[] {
  const stated = columns?.input;
  if (stated !== undefined) return [`input tokens: ${inputTexts[stated]}`];
  if (inputs === undefined) return [];
  const { whole, fresh } = inputs;
  const of = fresh > 0 && whole >= fresh ? ` in ${formatCount(whole)} of ${countOf(whole + fresh, 'session')}` : '';
  return [`input tokens: ${inputTexts[fresh > whole ? 'fresh' : 'whole']}${of} (assumed)`];
}

/** Formats a level of the load in its unit: `4/s`, `50 concurrent`. */
export function levelText(value: number, { model }: Pick<Load, 'model'>): string {
  return model === 'open' ? formatPerSecond(value) : `${formatNumber(value)} concurrent`;
}

export function scheduleText(plan: Plan): string {
  if (plan.load.model === 'open' && plan.load.trace !== undefined) return replayText(plan, plan.load.trace);
  // No session starts after the duration.
  const reached = plan.load.segments.filter(({ startMs }) => startMs < (plan.durationMs ?? Infinity));
  return reached.map((segment) => segmentText(segment, plan)).join('; ');
}

/** Describes the sessions and the peak rate of a trace, which has too many levels to list. */
function replayText({ load: { segments }, durationMs }: Plan, { sessions }: TracePlan): string {
  const last = segments.at(-1);
  const traceMs = last?.endMs ?? last?.startMs ?? 0;
  const span = durationMs ?? ms(traceMs);
  const played = segments
    .filter(({ startMs }) => startMs < span)
    .map(({ startMs, endMs, to }) => ({ startMs, to, lengthMs: Math.min(endMs ?? startMs, span) - startMs }));
  const started = Math.round(played.reduce((sum, { to, lengthMs }) => sum + (to * lengthMs) / 1000, 0));
  const peak = played.reduce((highest, each) => (each.to > highest.to ? each : highest), {
    startMs: 0,
    to: 0,
    lengthMs: 0,
  });
  const overMs = Math.min(span, Math.max(levelStepMs(span), peak.lengthMs));
  const shown = span < traceMs && started < sessions ? `about ${formatCount(Math.max(1, started))} of ` : '';
  return `${shown}${countOf(sessions, 'session')} over ${formatMs(span)}, peak ${formatPerSecond(peak.to)} (over ${formatMs(overMs)} from ${formatMs(peak.startMs)})`;
}

export function thinkText({ load, thinkTime }: Plan): string {
  const isRecorded = load.model === 'open' && load.trace?.keepsPace === true;
  if (!isRecorded) return distributionText(thinkTime);
  return `as recorded, ${formatMs(thinkTime.kind === 'constant' ? thinkTime.ms : null)} from turn to turn on average`;
}

function segmentText({ startMs, endMs, from, to }: Segment, plan: Plan): string {
  const level = (value: number): string => levelText(value, plan.load);
  const until = endMs ?? (plan.durationMs !== null && plan.durationMs > startMs ? plan.durationMs : null);
  const span = until === null ? `from ${formatMs(startMs)}` : `${formatMs(startMs)} to ${formatMs(until)}`;
  return `${span}: ${from === to ? level(to) : `ramp from ${formatNumber(from)} to ${level(to)}`}`;
}

/** Describes the turns of a session: `at most 10 per session on average`. */
export function turnsText({ turns, messages }: Plan): string {
  return `${messages.branches === true ? 'at most ' : ''}${formatNumber(meanTurns(turns))} per session on average`;
}

export function retryText({ retry }: Plan): string {
  return retry.map(policyText).join('; ');
}

const policyText = (policy: RetryPolicy): string =>
  policy.maxAttempts === 1
    ? `${policy.name}: one attempt`
    : `${policy.name}: up to ${countOf(policy.maxAttempts, 'attempt')}, backoff ${formatMs(policy.baseMs)}, factor ${String(policy.factor)}, ${policy.jitter} jitter${policy.budget === null ? '' : `, budget ${formatNumber(policy.budget.share * 100)} %`}${policy.idempotent === true ? ', idempotent' : ''}`;

export function gateText({ gates, confidentGates }: Plan): string {
  const texts = Object.entries(gates).map(
    ([metric, condition]) => `${metric} ${condition}${confidentGates.includes(metric) ? ' (confident)' : ''}`,
  );
  return texts.join(', ') || 'none';
}

export function seedText({ seed, hash }: Plan): string {
  return `${String(seed)}, scenario hash ${hash.slice(0, 12)}`;
}

/** Describes a distribution of durations: `lognormal, median 7.18 s, sigma 0.57`. */
function distributionText(distribution: Plan['thinkTime']): string {
  switch (distribution.kind) {
    case 'constant':
      return distribution.ms === 0 ? 'none' : formatMs(distribution.ms);
    case 'uniform':
      return `${formatMs(distribution.minMs)} to ${formatMs(distribution.maxMs)}, uniform`;
    case 'lognormal':
      return `lognormal, median ${formatMs(distribution.medianMs)}, sigma ${String(distribution.sigma)}`;
    case 'exponential':
      return `exponential, mean ${formatMs(distribution.meanMs)}`;
  }
}

/** Lists the conditions that stop the run early, with their forecast times if known. */
export function stopText(
  { maxDurationMs, maxTurns, maxSessions, maxCost, abortGates, stopWhen }: Plan,
  { maxTurnsMs, maxSessionsMs }: Pick<Forecast, 'maxTurnsMs' | 'maxSessionsMs'>,
): string {
  const { unusable, noSuccessMs, targetGoneMs } = stopWhen;
  const about = (atMs: number | null): string => (atMs === null ? '' : ` (in about ${formatMs(atMs)})`);
  const parts = [
    maxDurationMs === null ? [] : [`after ${formatMs(maxDurationMs)}`],
    maxTurns === null ? [] : [`after ${countOf(maxTurns, 'message')}${about(maxTurnsMs)}`],
    maxSessions === null ? [] : [`after ${countOf(maxSessions, 'session')}${about(maxSessionsMs)}`],
    maxCost === null ? [] : [`at a cost of ${String(maxCost)}`],
    Object.keys(abortGates).map((metric) => `if the gate on ${metric} fails`),
    unusable === null ? [] : [`if the first ${formatCount(unusable)} creations or turns all fail`],
    noSuccessMs === null ? [] : [`if no turn succeeds for ${formatMs(noSuccessMs)}`],
    targetGoneMs === null ? [] : [`if the target is unreachable for ${formatMs(targetGoneMs)}`],
  ];
  return parts.flat().join(', ') || 'never';
}

/** Describes authorization, headers and connection options of requests; values of headers are never included. */
export function requestText({ target }: Plan): string {
  const names = Object.keys(target.headers);
  const { tls } = target;
  const parts = [
    authorizations[target.auth],
    ...(names.length === 0 ? [] : [`headers: ${names.join(', ')}`]),
    ...(target.trace ? ['traceparent per attempt'] : []),
    ...(target.cookies ? ['cookies per session'] : []),
    ...(tls.cert === null && tls.pfx === null ? [] : ['a client certificate']),
    ...(tls.insecure ? ['TLS certificate of the target not verified'] : []),
    ...(target.http2 ? ['over HTTP/2'] : []),
    ...(target.transport === undefined ? [] : ['over WebSocket, one socket per session']),
    ...(target.listens === undefined ? [] : [streams[target.listens]]),
    ...(target.compression ? ['compressed replies accepted'] : []),
    ...(target.expectContinue ? ['bodies sent after 100 Continue'] : []),
  ];
  return parts.join('; ');
}

const streams: Readonly<Record<NonNullable<Plan['target']['listens']>, string>> = {
  sse: 'one stream of events per session',
  websocket: 'one WebSocket per session next to its requests',
};

const authorizations: Readonly<Record<Plan['target']['auth'], string>> = {
  key: 'authorized by the API key',
  none: 'no authorization',
  bearer: 'authorized by a bearer token',
  header: 'authorized by a custom header',
  basic: 'authorized by user and password',
  token: 'authorized by tokens from a function',
  command: 'authorized by tokens from a command',
  oauth: 'authorized by tokens from an OAuth server',
  sigv4: 'signed with AWS Signature Version 4',
};

/** Recommends a number of processes, with the reason and the flag: `3 (...): run with --cores 3`. */
export function coresText(needs: CoreNeeds): string {
  const { cores, measured } = needs;
  const reason = `(${reasonText(needs)})`;
  if (cores === 1) return `1 ${reason}`;
  const text =
    cores === null
      ? `unknown: the rate depends on the service ${reason}`
      : `${String(cores)} ${reason}: run with --cores ${String(cores)}, or --fleet on several machines`;
  return measured ? text : `${text}; chat-load calibrate measures it here`;
}

function reasonText({ by, cores, measured, processTurnsPerSecond, processTurnsInFlight }: CoreNeeds): string {
  if (by === 'turnsInFlight') return `one process sustains about ${formatCount(processTurnsInFlight)} turns in flight`;
  const sends = `one process sends about ${formatRate(Number(processTurnsPerSecond.toPrecision(2)), 'turn')}`;
  const room = cores !== null && cores > 1 ? ', 25 % headroom' : '';
  return `${sends}${measured ? ' here' : ''}${room}`;
}

/** Describes how an agent uses the model service next to the run. */
export function modelServiceText({ host, port, forward }: ModelPlan, isAgentStarted: boolean): string {
  const { OPENAI_BASE_URL: openai, ANTHROPIC_BASE_URL: anthropic } = modelVariables({ host, port });
  const forwarded = [forward?.openai, forward?.anthropic].flatMap((url) => url ?? []);
  const to = forwarded.length === 0 ? '' : `, which forwards to ${forwarded.join(' and ')}`;
  const how = isAgentStarted ? 'the agent is started with' : 'configure the agent with';
  const join = isAgentStarted ? 'and' : 'or';
  return `service at ${host}:${String(port)}${to}: ${how} OPENAI_BASE_URL=${openai} ${join} ANTHROPIC_BASE_URL=${anthropic}`;
}
