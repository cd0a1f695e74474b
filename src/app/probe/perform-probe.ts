import { toolVersion } from '../../edge/tool-version.ts';
import { buildProbe, type ProbeDocument } from '../../probe/build-probe.ts';
import { probeTarget, type Probing } from './probe-target.ts';
import { asProbed } from './probed-protocol.ts';

export interface ProbeOptions extends Probing {
  /** Whether the sessions are the probe's own, and not a scenario's. */
  isOwn: boolean;
}

/** Probes a target and judges what was seen. */
export async function performProbe({ isOwn, ...probing }: ProbeOptions): Promise<ProbeDocument> {
  const { settled, warnings: onProtocol } = asProbed(probing.settled);
  const startedAt = new Date().toISOString();
  const began = performance.now();
  const { baseUrl, ...seen } = await probeTarget({ ...probing, settled });
  const facts = {
    ...seen,
    warnings: [...onProtocol, ...seen.warnings],
    baseUrl: settled.plan.target.baseUrl ?? baseUrl.origin,
    embedded: settled.embedded !== undefined,
    startedAt,
    elapsedMs: performance.now() - began,
    toolVersion,
  };
  return buildProbe(facts, { ...settled, isOwn });
}
