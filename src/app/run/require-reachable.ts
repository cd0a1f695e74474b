import { ChatLoadError } from '../../base/errors.ts';
import { probeConnection } from '../../edge/http/probe-connection.ts';
import type { Settled } from '../../plan/settle.ts';
import { checkHost } from './check-settled.ts';
import { senderOptions } from './sender-options.ts';

/** Checks whether a target can be reached before anything long is begun; sends nothing. Throws what `checkHost` and `probeConnection` throw, with whose target it is, if that is given. */
export async function requireReachable(settled: Settled, whose?: string): Promise<void> {
  checkHost(settled);
  const { baseUrl } = settled.plan.target;
  if (baseUrl === null) return;
  try {
    await probeConnection(senderOptions(new URL(baseUrl), settled));
  } catch (thrown) {
    if (!(thrown instanceof ChatLoadError) || whose === undefined) throw thrown;
    const { code, message, hint } = thrown;
    throw new ChatLoadError(code, { message: `${whose}: ${message}`, hint, cause: thrown });
  }
}
