import type { Clock } from '../../base/time.ts';
import type { Sender } from '../../edge/http/sender/sender-options.ts';
import type { Settled } from '../../plan/settle.ts';
import { droppedCookiesWarning } from '../../result/sections/warning.ts';
import { run, type RunOutcome } from '../../run.ts';
import type { RunEffects } from '../../run-effects.ts';
import type { Stops } from './ports.ts';
import { openHeads } from './session-heads.ts';

/** What a settled scenario is conducted with. */
interface Conducting extends Pick<RunEffects, 'warn' | 'watch' | 'journal' | 'strayFailed' | 'part' | 'halt'> {
  sender: Pick<Sender, 'send' | 'cut'> & Partial<Pick<Sender, 'authorize'>>;
  clock: Clock;
  stops: Pick<Stops, 'drain' | 'cut'>;
}

/** Conducts a settled scenario through a sender; its secrets are redacted in everything kept. */
export async function conductRun(settled: Settled, { sender, stops, ...effects }: Conducting): Promise<RunOutcome> {
  const { plan, script, secrets, access } = settled;
  const { sources, jars } = await openHeads(settled);
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
  if (jars === undefined || jars.dropped === 0) return outcome;
  const warning = droppedCookiesWarning(jars.dropped);
  effects.journal?.warn?.(warning);
  effects.warn?.(warning);
  return { ...outcome, warnings: [...outcome.warnings, warning] };
}
