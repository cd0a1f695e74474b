import { withFirstIdentity } from '../../plan/first-identity.ts';
import type { Settled } from '../../plan/settle.ts';
import type { FoundProtocols } from '../../conformance/contact/contact.ts';
import { findProtocols } from '../contact/find-protocols.ts';
import { withAccess } from './open-access.ts';
import { senderOptions } from './perform-run.ts';
import { posterHead } from './poster-head.ts';

/**
 * Finds the named protocols that the target of a settled scenario speaks, whatever protocol it was settled for. The host
 * must have been checked. Nothing is sent where HTTP/2 is spoken: the requests are HTTP/1.1.
 */
export async function seekProtocols(
  settled: Settled,
  { baseUrl, alsoNearby }: { baseUrl: URL; alsoNearby: boolean },
): Promise<FoundProtocols> {
  if (settled.plan.target.http2) return { found: [], requests: 0, otherwise: 'nothing was asked over HTTP/2' };
  return withAccess(withFirstIdentity(settled), async (opened) => {
    const { authorization, ...options } = senderOptions(baseUrl, opened);
    const head = await posterHead(opened, options.headers);
    const redact = (text: string): string => opened.secrets.redact(text);
    const target = { ...opened.plan.target, instructions: null };
    return findProtocols({ ...options, redact, head, target, authorization, alsoNearby });
  });
}
