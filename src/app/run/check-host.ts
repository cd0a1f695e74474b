import { ChatLoadError } from '../../base/errors.ts';
import { refusedHost } from '../../plan/host-names.ts';
import type { Settled } from '../../plan/settle.ts';

/** Refuses a target on another machine that is not allowed: a load test of the wrong target is an attack. */
export function checkHost({ plan }: Pick<Settled, 'plan'>): void {
  const host = refusedHost(plan);
  if (host === undefined) return;
  throw new ChatLoadError('usage', {
    message: `The target ${host} is not this machine and not among the hosts that may be loaded (${plan.allowHosts.join(', ') || 'none are named'}).`,
    hint: `Nothing was sent. If you may load it, allow it with --allow-host ${host}, CHAT_LOAD_ALLOW_HOSTS=${host}, or allowHosts: ['${host}'] in the scenario.`,
  });
}
