import { withFirstIdentity, type Settled } from '../../plan/settle.ts';
import type { AttemptClass } from '../../protocol/outcome.ts';
import type { FoundProtocols } from '../../conformance/contact/contact.ts';
import { findProtocols } from '../contact/find-protocols.ts';
import type { RunOutcome } from '../../run.ts';
import { withAccess } from './open-access.ts';
import { senderOptions } from './sender-options.ts';
import { posterHead } from './session-heads.ts';

/**
 * Finds the named protocols that the target of a settled scenario speaks, whatever protocol it was settled for. The host
 * must have been checked.
 */
export async function seekProtocols(
  settled: Settled,
  { baseUrl, alsoNearby }: { baseUrl: URL; alsoNearby: boolean },
): Promise<FoundProtocols> {
  return withAccess(withFirstIdentity(settled), async (opened) => {
    const { authorization, ...options } = senderOptions(baseUrl, opened);
    const head = await posterHead(opened);
    const redact = (text: string): string => opened.secrets.redact(text);
    const target = { ...opened.plan.target, instructions: null };
    return findProtocols({ ...options, redact, head, target, authorization, alsoNearby });
  });
}

/** What a target answers that may speak another protocol. */
const ofAnother: readonly AttemptClass[] = ['not_found', 'http_other', 'malformed', 'contract_broken'];

/**
 * Adds to the stop of a run, if its target was unfit, the protocols that it answers below the same base URL: by one search
 * of at most 5 requests, which count in no book. Not for the embedded service, nor after a signal.
 */
export async function withOtherProtocols<Outcome extends Pick<RunOutcome, 'stop'>>(
  outcome: Outcome,
  settled: Settled,
  { baseUrl, drain }: { baseUrl: URL; drain: AbortSignal },
): Promise<Outcome> {
  const { stop } = outcome;
  if (stop?.kind !== 'target_unfit' || !ofAnother.includes(stop.outcome)) return outcome;
  if (settled.embedded !== undefined || drain.aborted) return outcome;
  const { found } = await seekProtocols(settled, { baseUrl, alsoNearby: false });
  const others = found.filter(({ name }) => name !== settled.plan.target.protocol);
  if (others.length === 0) return outcome;
  const words = others.map(({ name, url }) => `POST ${new URL(url).pathname} answers there: try --protocol ${name}.`);
  return { ...outcome, stop: { ...stop, elsewhere: words.join(' ') } };
}
