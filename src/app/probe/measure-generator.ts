import { ms } from '../../base/time.ts';
import { cpuMeter } from '../../edge/probe/cpu-meter.ts';
import { startResponder } from '../../edge/probe/start-responder.ts';
import { factsOf } from '../../plan/plan-of.ts';
import type { Settled } from '../../plan/settle.ts';
import type { GeneratorCeiling } from '../../probe/probe.ts';
import { knownProtocols } from '../../scenario/known-protocols.ts';
import { runOwnLoad } from './own-load.ts';
import { isPreparable } from './probed-protocol.ts';

const connections = 32;
const warmUpMs = ms(1500);
const measuredMs = ms(2500);
/** The load ends when it is measured; without that, such as on a machine that stands still, some time later. */
const mostMs = ms(20_000);

/**
 * Measures what chat-load can ask for: the scenario's sessions, created and played without think times against a
 * responder on this machine that answers at once, so that nothing but the generator limits. A slow target would make
 * a turn dearer, since fewer replies come at a time; at its own ceiling the generator is never in that case. The first
 * moments are left out: the code is compiled in them. `undefined` when it was stopped before there was anything.
 */
export async function measureGenerator(settled: Settled, stop: AbortSignal): Promise<GeneratorCeiling | undefined> {
  const responder = await startResponder();
  try {
    let warm: { turns: number; meter: ReturnType<typeof cpuMeter> } | undefined;
    let measured: GeneratorCeiling | undefined;
    const isDone = new AbortController();
    const timers: NodeJS.Timeout[] = [];
    const { stop: ended } = await runOwnLoad({
      settled: fromLoopback(settled, responder.baseUrl),
      baseUrl: responder.baseUrl,
      concurrency: connections,
      durationMs: mostMs,
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

/** The way and the addresses to connect from are for the target; the responder gives the same reply every time, which breaks every check. */
function fromLoopback({ plan, script, ...rest }: Settled, { href }: URL): Settled {
  const { protocol } = script;
  const spoken = isPreparable(protocol) ? protocol : knownProtocols['chat-messaging'];
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
