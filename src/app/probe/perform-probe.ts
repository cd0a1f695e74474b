import { toolVersion } from '../../edge/tool-version.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { buildProbe, type ProbeDocument } from '../../probe/build-probe.ts';
import { probeTarget, type Probing } from './probe-target.ts';

export interface ProbeOptions extends Probing {
  /** Whether the sessions are the probe's own, and not a scenario's. */
  isOwn: boolean;
}

/** Probes a target and judges what was seen. */
export async function performProbe({ isOwn, ...probing }: ProbeOptions): Promise<ProbeDocument> {
  const { settled } = probing;
  requireKnownProtocol(settled.plan.target.protocol);
  const startedAt = new Date().toISOString();
  const began = performance.now();
  const { baseUrl, ...seen } = await probeTarget(probing);
  const facts = {
    ...seen,
    baseUrl: settled.plan.target.baseUrl ?? baseUrl.origin,
    embedded: settled.embedded !== undefined,
    startedAt,
    elapsedMs: performance.now() - began,
    toolVersion,
  };
  return buildProbe(facts, { ...settled, isOwn });
}

/** What autocannon sends for a probe is made beforehand: neither a history that grows nor replies in pieces. */
function requireKnownProtocol(name: string): void {
  if (name === 'chat-messaging') return;
  throw new ChatLoadError('usage', {
    message: `a probe speaks chat-messaging alone, and target.protocol is '${name}'`,
    hint: 'Raise the load of a run until its validity or its failures say what the limit is (load.stages), or leave --protocol out.',
  });
}
