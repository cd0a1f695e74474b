import { ChatLoadError } from '../../base/errors.ts';
import { probeConnection } from '../../edge/http/probe-connection.ts';
import type { SenderOptions } from '../../edge/http/http1/sender.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Warning } from '../../result/sections/warning.ts';
import { probedWarnings } from './tls-warnings-of.ts';

/**
 * Looks whether the target can be reached, and gives the scenario as it is spoken there: over HTTP/2 where the server
 * speaks nothing else. `notes` say what is worth knowing before the start. Throws what `probeConnection` throws.
 */
export async function reachTarget(
  settled: Settled,
  options: SenderOptions,
): Promise<{ reached: Settled; notes: Warning[] }> {
  const probed = await probeConnection(options);
  const notes = probedWarnings(probed);
  const { plan } = settled;
  if (probed.speaks === 'http/1.1' || plan.target.http2) return { reached: settled, notes };
  return { reached: { ...settled, plan: overHttp2(plan) }, notes: [...notes, speaksHttp2] };
}

/** A plan as others have found that it is spoken: what they warn of says so. */
export function asHeard<Spoken extends Pick<Plan, 'target'>>(plan: Spoken, codes: ReadonlySet<string>): Spoken {
  return codes.has(speaksHttp2.code) ? overHttp2(plan) : plan;
}

const overHttp2 = <Spoken extends Pick<Plan, 'target'>>(plan: Spoken): Spoken => ({
  ...plan,
  target: { ...plan.target, http2: true },
});

const speaksHttp2: Warning = {
  code: 'http2_alone',
  message: 'The target speaks HTTP/2 alone: so does this run.',
  remedy: 'Say so with target.http2 (--http2).',
};

/** The same for what speaks HTTP/1.1 alone. `what` is the command. */
export async function reachOverHttp1(options: SenderOptions, what: string): Promise<void> {
  const { speaks } = await probeConnection(options);
  if (speaks === 'http/1.1') return;
  throw new ChatLoadError('usage', {
    message: `${what} speaks HTTP/1.1, and ${options.http2 === true ? 'target.http2 is set' : 'the target speaks HTTP/2 alone'}`,
    hint: 'Leave target.http2 (--http2) out, and name a way to the service that speaks HTTP/1.1.',
  });
}
