import type { Clock } from '../../base/time.ts';
import type { Sender } from '../../edge/http/sender.ts';
import type { Settled } from '../../plan/settle.ts';
import { run, type RunEffects, type RunOutcome } from '../../run.ts';
import type { Stops } from './ports.ts';

/** What a settled scenario is conducted with. */
interface Conducting extends Pick<RunEffects, 'warn' | 'watch' | 'journal' | 'strayFailed' | 'part' | 'halt'> {
  sender: Pick<Sender, 'send' | 'cut'> & Partial<Pick<Sender, 'authorize'>>;
  clock: Clock;
  stops: Pick<Stops, 'drain' | 'cut'>;
}

/** Conducts a settled scenario through a sender; its secrets are redacted in everything kept. */
export function conductRun(
  { plan, script, secrets, access }: Settled,
  { sender, stops, ...effects }: Conducting,
): Promise<RunOutcome> {
  const unfollow = access?.follow((fields) => sender.authorize?.(fields));
  const running = run(plan, script, {
    ...effects,
    access,
    protocol: script.protocol,
    send: sender.send,
    abortExchanges: () => sender.cut(),
    drain: stops.drain,
    cut: stops.cut,
    redact: (text) => secrets.redact(text),
  });
  return running.finally(unfollow);
}
