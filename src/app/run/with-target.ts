import { startEmbedded } from '../../reference-service/embedded.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Warning } from '../../result/sections/warning.ts';
import { withAccess } from './open-access.ts';
import { primeGenerator } from './prime-generator.ts';
import { reachTarget } from './reach-target.ts';
import { senderOptions } from './sender-options.ts';

/** A target that is ready for load. */
export interface OpenTarget {
  /** The scenario as it is spoken there, with its token. */
  settled: Settled;
  baseUrl: URL;
}

/** Performs something with the service of a scenario: the embedded one is started before it and closed after it. */
export async function withService<Made>(
  { embedded: options, plan }: Settled,
  cores: number,
  perform: (baseUrl: URL) => Promise<Made>,
): Promise<Made> {
  const embedded = options && (await startEmbedded(options, { cores }));
  try {
    return await perform(new URL(embedded?.baseUrl ?? plan.target.baseUrl ?? ''));
  } finally {
    await embedded?.close();
  }
}

/**
 * Opens a target for load from this process, and performs something with it: connects once, obtains the token and
 * compiles the code of a turn. Throws `environment` if the target cannot be reached; nothing was sent then.
 */
export async function withTarget<Made>(
  settled: Settled,
  { baseUrl, warn }: { baseUrl: URL; warn?: ((warning: Warning) => void) | undefined },
  perform: (target: OpenTarget) => Promise<Made>,
): Promise<Made> {
  const { reached, notes } = await reachTarget(settled, senderOptions(baseUrl, settled));
  for (const note of notes) warn?.(note);
  return withAccess(reached, async (opened) => {
    await primeGenerator();
    return perform({ settled: opened, baseUrl });
  });
}
