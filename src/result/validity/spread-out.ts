import { formatShare } from '../../base/format.ts';
import type { Evidence } from './rule.ts';

/** Of a core: a generator that used less at any time was late for another reason, and more cores would not help. */
export const ownWork = 0.4;

type Seen = Pick<Evidence, 'environment'> & Partial<Pick<Evidence, 'generator'>>;

/** The processor time of the busiest process in its busiest two seconds, as a share of a core; `undefined`: not measured. */
function busiestShare({ generator, environment }: Seen): number | undefined {
  const measured = [generator, ...(environment?.workers ?? []).map((worker) => worker.generator)];
  const shares = measured.flatMap((health) => (health == null ? [] : [health.cpuShareMax]));
  return shares.length === 0 ? undefined : Math.max(...shares);
}

/** What to do when the generator was late, without its full stop: the flags that give it more cores, if it used those it had. */
export function spreadOut(evidence: Seen): string {
  const { environment } = evidence;
  const used = busiestShare(evidence);
  if (used !== undefined && used < ownWork)
    return `The generator used at most ${formatShare(used)} of a core, and would be as late with more of them: run on a machine that is idle`;
  const shards = environment?.workers?.length ?? 1;
  if (shards > 1)
    return `Spread the run over more than ${String(shards)} shards (--cores on one machine, --fleet and --shards on several: docs/fleet.md)`;
  if (environment?.cores === 1) return 'Spread the run over several machines (--fleet, --shards: docs/fleet.md)';
  return 'Spread the run over more cores (chat-load run ... --cores 2)';
}
