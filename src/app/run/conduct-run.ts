import { ms, type Clock } from '../../base/time.ts';
import type { Sender } from '../../edge/http/sender/sender-options.ts';
import { type ResolvedScenario, resolveScenario } from '../../plan/resolve-scenario.ts';
import type { PartitionTally } from '../../record/snapshot.ts';
import { unfinishedWarning } from '../../result/sections/warning.ts';
import { run, type RunOutcome } from '../../run.ts';
import type { RunEffects } from '../../run-context.ts';
import type { LoadSpans } from '../spans/open-spans.ts';
import type { Stops } from './ports.ts';
import type { CookieJars } from '../../edge/http/request/cookie-jars.ts';
import { traceParents } from '../../edge/http/request/trace-parents.ts';
import type { PosterOptions } from '../../edge/http/open-poster.ts';
import { forRun } from '../../plan/script.ts';
import { planSession } from '../../plan/session-plan.ts';
import { SessionHead, type HeadSources } from '../../session/session-head.ts';
import { systemClock } from '../../edge/clock.ts';
import { newRun } from '../../edge/new-run.ts';
import type { Exchange, Send } from '../../session/send.ts';

interface Conducting extends Pick<
  RunEffects,
  'warn' | 'watch' | 'journal' | 'probe' | 'strayFailed' | 'part' | 'halt' | 'follower' | 'started' | 'modelStop'
> {
  sender: Pick<Sender, 'send' | 'cut'> & Partial<Pick<Sender, 'authorize'>>;
  clock: Clock;
  stops: Pick<Stops, 'drain' | 'cut'>;
  /** Export of spans; `undefined`: none. */
  spans?: LoadSpans | undefined;
}

/** Runs a resolved scenario through a sender; secrets are redacted in all records. */
export async function conductRun(
  resolved: ResolvedScenario,
  { sender, stops, ...effects }: Conducting,
): Promise<RunOutcome> {
  const { plan, script, secrets, access } = resolved;
  const sources = await openHeads(resolved, effects);
  const since = effects.clock.wallNow();
  const unfollow = access?.follow((fields) => sender.authorize?.(fields));
  const outcome = await run(plan, script, {
    ...effects,
    access,
    protocol: script.protocol,
    send: sender.send,
    heads: sources,
    abortExchanges: () => sender.cut(),
    drain: stops.drain,
    cut: stops.cut,
    redact: (text) => secrets.redact(text),
  }).finally(unfollow);
  effects.follower?.flush();
  const isFirst = (effects.part?.shard.index ?? 0) === 0;
  const left = isFirst ? await countUnfinished({ resolved, sender, clock: effects.clock, outcome, since }) : 0;
  const warnings = [...((await effects.spans?.end(stops.cut)) ?? []), ...(left === 0 ? [] : [unfinishedWarning(left)])];
  for (const warning of warnings) {
    effects.journal?.warn?.(warning);
    effects.warn?.(warning);
  }
  return { ...outcome, warnings: [...outcome.warnings, ...warnings] };
}

/** Maximum time to wait for the response, in milliseconds. */
const unfinishedWithin = ms(3000);

interface Ended extends Pick<Conducting, 'sender' | 'clock'> {
  resolved: Pick<ResolvedScenario, 'script'>;
  outcome: Pick<RunOutcome, 'snapshot'>;
  since: number;
}

/** Asks the service for work of the load that it has not finished, if attempts ended without a response. */
async function countUnfinished({ resolved, sender, clock, outcome, since }: Ended): Promise<number> {
  const { unfinished } = resolved.script.protocol;
  const isLeft = ({ counters: { attempts } }: PartitionTally): boolean =>
    attempts !== undefined && leaving.some((name) => (attempts[name] ?? 0) > 0);
  if (unfinished === undefined || !outcome.snapshot.totals.some(isLeft)) return 0;
  const { request, count } = unfinished;
  const exchange = await sender.send(request, clock.now(), unfinishedWithin);
  return exchange.failure === undefined ? count(exchange, since) : 0;
}

const leaving = ['timed_out', 'abandoned', 'connection_lost', 'aborted'] as const;

async function openHeads(
  { plan, secrets }: Pick<ResolvedScenario, 'plan' | 'secrets'>,
  traced: Pick<Conducting, 'follower' | 'spans'> = {},
): Promise<HeadSources> {
  const keepSecret = (secret: string): void => secrets.pass(secret);
  const jars = plan.target.cookies ? await openJars(plan.target.baseUrl, keepSecret) : undefined;
  const newTrace = plan.target.trace ? tracesOf(traced) : undefined;
  const traceHeader = plan.model?.header ?? undefined;
  return { newJar: jars && (() => jars.newJar()), newTrace, traceHeader, keepSecret };
}

/**
 * Returns the source of traces: with a follower, each names its attempt and is reported. If no spans are exported, all traces
 * are marked as sampled, and the service decides.
 */
function tracesOf({ follower, spans }: Pick<Conducting, 'follower' | 'spans'>): NonNullable<HeadSources['newTrace']> {
  return follower === undefined ? traceParents(spans?.isSampled ?? (() => true)) : (sent) => follower.begin(sent);
}

/** Returns the header fields of single exchanges: the fields of the first turn of the first session, with one cookie jar for all. */
export async function posterHead(resolved: ResolvedScenario): Promise<PosterOptions['head']> {
  const sources = await openHeads(resolved);
  const head = new SessionHead(planSession(forRun(resolved.script, newRun()), 1), sources);
  return (operation, send) => {
    const turn = operation === 'create' ? 0 : 1;
    head.beginTurn(turn);
    const sentAt = systemClock.now();
    return head.beginAttempt(send, { session: 1, policy: 0, turn, message: '', sentAt, countedFrom: sentAt });
  };
}

/** Opens cookie jars, whose library is loaded on demand because that takes a while. */
async function openJars(baseUrl: string | null, keepSecret: (secret: string) => void): Promise<CookieJars> {
  const { openCookieJars } = await import('../../edge/http/request/cookie-jars.ts');
  // The embedded service is one host; cookies need no more of its address.
  return openCookieJars(new URL(baseUrl ?? 'http://127.0.0.1'), keepSecret);
}

interface Priming {
  sessions?: number;
  /** Maximum duration, in milliseconds. */
  maxMs?: number;
}

/**
 * Compiles the code of a turn before a run starts: runs, classifies and records sessions of a built-in scenario against a
 * function instead of a service. Nothing is sent, no function of the user's scenario is called, and the caller discards
 * the outcome.
 */
export async function primeGenerator({ sessions = 200, maxMs = 120 }: Priming = {}): Promise<RunOutcome> {
  const over = new AbortController();
  const until = performance.now() + maxMs;
  const reply = replyAtOnce();
  const send: Send = (request, sentAt) => {
    if (performance.now() >= until) over.abort();
    return reply(request, sentAt);
  };
  return conductRun(resolvePriming(sessions), {
    sender: { send, cut: () => undefined },
    clock: systemClock,
    stops: { drain: over.signal, cut: over.signal },
  });
}

const resolvePriming = (sessions: number): ResolvedScenario =>
  resolveScenario(
    {
      name: 'priming',
      sessions,
      turns: 2,
      load: { concurrency: 10 },
      variableValues: { orderNumber: 'ORD-{{session.number}}' },
      messages: ['Where is order {{orderNumber}}? It should have arrived days ago.'],
    },
    { flags: {}, environment: {} },
    'the priming',
  );

function replyAtOnce(): Send {
  let created = 0;
  return (request, sentAt) => {
    const isCreation = request.route.operation === 'create';
    const sessionId = isCreation ? `priming-${String(++created)}` : sessionIdOf(request.body);
    const exchange: Exchange = {
      sentAt,
      firstByteAt: systemClock.now(),
      endedAt: systemClock.now(),
      connectMs: undefined,
      reused: true,
      failure: undefined,
      status: isCreation ? 201 : 200,
      retryAfter: undefined,
      body: JSON.stringify({
        success: true,
        data: { ...replyData, sessionId, chatId: `${sessionId}-${String(sentAt)}` },
      }),
      isUtf8: true,
      detail: '',
    };
    return Promise.resolve(exchange);
  };
}

const date = '2026-01-01T00:00:00Z';
const replyData = { response: 'It is on its way.', isSession: true, createdAt: date, updatedAt: date };

const sessionIdOf = (body: string): string => (JSON.parse(body) as { sessionId: string }).sessionId;
