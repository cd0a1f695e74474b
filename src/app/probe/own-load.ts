import { advise } from '../../base/purposes.ts';
import { protocolName, defaultProtocol, protocols } from '../../protocol/registry/registry.ts';
import type { Warning } from '../../result/sections/warning.ts';
import type { ChatProtocol } from '../../protocol/protocol.ts';
import { factsOf } from '../../plan/plan-of.ts';
import { between, later, type Instant, type Ms, ms } from '../../base/time.ts';
import { systemClock } from '../../edge/clock.ts';
import { openSender } from '../../edge/http/open-sender.ts';
import { cpuMeter } from '../../edge/probe/raw-connection.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { steadyLoad } from '../../plan/level-load.ts';
import type { Live } from '../../record/live.ts';
import { addCountersOf } from '../../result/sections/figures.ts';
import type { LoadFigures, GeneratorCeiling } from '../../probe/probe.ts';
import { finishedClassNames } from '../../protocol/outcome.ts';
import type { RunOutcome } from '../../run.ts';
import type { Send } from '../../session/send.ts';
import { conductRun } from '../run/conduct-run.ts';
import { senderOptions } from '../run/open-generator.ts';
import { startResponder } from '../../edge/probe/start-responder.ts';

interface OwnLoad {
  resolved: ResolvedScenario;
  baseUrl: URL;
  concurrency: number;
  durationMs: Ms;
  /** Turns per session; `undefined`: consecutive sessions with the turns of the scenario. */
  turns?: number;
  /** Number of these sessions. Default: one per connection. */
  sessions?: number;
  stop: AbortSignal;
  /** Called at the first turn with a function that returns the current figures. */
  watch?: (live: () => Live) => void;
}

interface OwnFigures extends LoadFigures {
  stop: RunOutcome['stop'];
}

/** Runs a scenario's sessions as steady closed load, like a run without a result. */
export async function runOwnLoad(load: OwnLoad): Promise<OwnFigures> {
  const { resolved, concurrency, turns } = load;
  const bound = turns === undefined ? { sessions: null } : { sessions: load.sessions ?? concurrency, turns };
  const steady = { ...resolved, ...steadyLoad(resolved, { concurrency, ...bound }) };
  const sender = openSender(senderOptions(load.baseUrl, resolved));
  const span = measureSpan(load);
  const startedAt = systemClock.now();
  const send: Send = (request, sentAt) => {
    if (request.route.operation === 'message') span.begin(sentAt);
    return sender.send(request, sentAt);
  };
  const outcome = await conductRun(steady, {
    sender: { send, cut: () => sender.cut(), authorize: (fields) => sender.authorize(fields) },
    clock: systemClock,
    stops: { drain: new AbortController().signal, cut: AbortSignal.any([load.stop, span.over]) },
    watch: (recorder) => span.follow(() => recorder.live(systemClock.now())),
  });
  const measured = span.end(later(startedAt, outcome.elapsedMs));
  await sender.close();
  return { ...figuresFrom(outcome, measured.elapsedMs), ...measured, stop: outcome.stop };
}

/** Measures from the first turn on, so that session creation is excluded. */
function measureSpan(load: OwnLoad) {
  const over = new AbortController();
  let live: (() => Live) | undefined;
  let begun: { at: Instant; meter: ReturnType<typeof cpuMeter>; timer: NodeJS.Timeout } | undefined;
  return {
    over: over.signal,
    follow: (follow: () => Live): void => void (live = follow),
    begin: (at: Instant): void => {
      if (begun !== undefined) return;
      const timer = setTimeout(() => over.abort(), load.durationMs);
      begun = { at, meter: cpuMeter(), timer };
      if (live !== undefined) load.watch?.(live);
    },
    end: (at: Instant): { elapsedMs: number; cpuShare: number } => {
      clearTimeout(begun?.timer);
      return begun === undefined
        ? { elapsedMs: 0, cpuShare: 0 }
        : { elapsedMs: between(begun.at, at), cpuShare: begun.meter().share };
    },
  };
}

/** Computes figures; turns cut at the end count half, because on average they were half complete. */
function figuresFrom({ snapshot }: RunOutcome, elapsedMs: number): Omit<LoadFigures, 'cpuShare' | 'elapsedMs'> {
  const { turns, turnFlow } = addCountersOf(snapshot.totals);
  const found = finishedClassNames.filter((name) => turns[name] > 0);
  const ended = found.reduce((sum, name) => sum + turns[name], 0);
  const okShare = ended === 0 ? 0 : turns.ok / ended;
  const wrong = snapshot.examples.find(({ outcome }) => outcome !== 'aborted');
  return {
    turnsPerSecond: elapsedMs === 0 ? 0 : ((turns.ok + (okShare * turns.aborted) / 2) * 1000) / elapsedMs,
    sent: turnFlow.sent,
    ok: turns.ok,
    classes: Object.fromEntries(found.map((name) => [name, turns[name]])),
    example: wrong === undefined ? null : `${wrong.outcome}: ${wrong.detail}`,
  };
}

const connections = 32;
const warmUpMs = ms(1500);
const measuredMs = ms(2500);
/**
 * Measures the maximum rate of chat-load: runs the scenario's sessions without think times against a local responder that
 * replies immediately, so that only the generator limits the rate. A slow target would make turns more expensive, because
 * fewer replies arrive together, but that never applies at the generator's own ceiling. The first moments, in which code is
 * compiled, are excluded. Resolves with `undefined` if it was stopped before the measurement.
 */
export async function measureGenerator(
  resolved: ResolvedScenario,
  stop: AbortSignal,
): Promise<GeneratorCeiling | undefined> {
  const responder = await startResponder();
  try {
    let warm: { turns: number; meter: ReturnType<typeof cpuMeter> } | undefined;
    let measured: GeneratorCeiling | undefined;
    const isDone = new AbortController();
    const timers: NodeJS.Timeout[] = [];
    const { stop: ended } = await runOwnLoad({
      resolved: fromLoopback(resolved, responder.baseUrl),
      baseUrl: responder.baseUrl,
      concurrency: connections,
      // It normally ends after the measurement.
      durationMs: ms(20_000),
      stop: AbortSignal.any([stop, isDone.signal]),
      watch: (live) => {
        timers.push(setTimeout(() => (warm = { turns: live().turns.ok, meter: cpuMeter() }), warmUpMs));
        timers.push(
          setTimeout(() => {
            if (warm !== undefined) measured = ceilingFrom(live().turns.ok - warm.turns, warm.meter());
            isDone.abort();
          }, warmUpMs + measuredMs),
        );
      },
    });
    timers.forEach((timer) => clearTimeout(timer));
    if (ended?.kind === 'bug' || ended?.kind === 'scenario_error') throw ended.error;
    return measured;
  } finally {
    await responder.close();
  }
}

/** Adapts a scenario to the responder: without routes and addresses of the target, and without integrity checks, which identical replies would fail. */
function fromLoopback({ plan, script, ...rest }: ResolvedScenario, { href }: URL): ResolvedScenario {
  const { protocol } = script;
  const spoken = isPreparable(protocol) ? protocol : protocols[defaultProtocol].protocol;
  const path = spoken === protocol ? plan.target.messagesPath : null;
  return {
    ...rest,
    proxy: undefined,
    script: { ...script, protocol: spoken },
    plan: {
      ...plan,
      target: {
        ...plan.target,
        baseUrl: href,
        ...factsOf(spoken, plan.target),
        messagesPath: path === null ? null : (spoken.paths?.message ?? path),
        localAddresses: [],
        unixSocket: null,
        proxy: null,
        expectContinue: false,
      },
      integrity: { ...plan.integrity, mode: 'off' },
    },
  };
}

function ceilingFrom(turns: number, { us, elapsedMs }: ReturnType<ReturnType<typeof cpuMeter>>): GeneratorCeiling {
  const cpuUsPerTurn = us / turns;
  return {
    turnsPerSecond: 1e6 / cpuUsPerTurn,
    cpuUsPerTurn,
    askedPerSecond: (turns * 1000) / elapsedMs,
    connections,
  };
}

/** Reports whether requests can be prepared before they are sent; requests of a custom protocol may depend on replies. */
export function isPreparable(protocol: ChatProtocol): boolean {
  return protocolName(protocol.name) !== undefined;
}

/** Reports whether every turn of a probe is the first message of a conversation, so that no history grows. */
export function isOneMessage({ history }: ChatProtocol): boolean {
  return history === 'client';
}

export function asProbed(resolved: ResolvedScenario): { resolved: ResolvedScenario; warnings: Warning[] } {
  const { plan, script } = resolved;
  const stream = script.protocol.streamsOnly === true;
  const warnings = [
    ...(plan.target.stream && !stream ? [streamWarning()] : []),
    ...(isOneMessage(script.protocol) ? [historyWarning()] : []),
    ...(isPreparable(script.protocol) ? [] : [ownProtocolWarning]),
  ];
  const target = { ...plan.target, stream };
  return { resolved: { ...resolved, plan: { ...plan, target, stallTimeoutMs: null } }, warnings };
}

const streamWarning = (): Warning => ({
  code: 'probed_not_streamed',
  message: 'The scenario requests streamed replies; the probe requested non-streamed replies.',
  remedy: `Streams cost both sides more per event${measuredAsRun()}.`,
});

const historyWarning = (): Warning => ({
  code: 'probed_without_history',
  message: 'Each turn of the probe was the first message of a new conversation: no history was sent.',
  remedy: `Later turns of a session cost the service more${measuredAsRun()}.`,
});

const measuredAsRun = (): string => advise('highest_load', (command) => `; ${command} measures them as a run does`);

const ownProtocolWarning: Warning = {
  code: 'probed_by_chat_load_alone',
  message: `Requests of a custom protocol cannot be prepared, so autocannon was not used; the generator was measured with ${defaultProtocol}.`,
  remedy: 'The figures of the target were measured by chat-load only.',
};
