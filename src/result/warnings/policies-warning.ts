import { dealsPoliciesApart } from '../../plan/shard.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Warning } from '../sections/warning.ts';

/** The warning that retry policies cannot be compared in a run of this many shards; none where they can. */
export function policiesWarnings({ retry }: Pick<Plan, 'retry'>, shards: number): Warning[] {
  if (!dealsPoliciesApart(retry.length, shards)) return [];
  return [
    {
      code: 'policies_apart',
      message: `With ${String(shards)} shards each plays some of the ${String(retry.length)} retry policies alone, so that what a shard met looks like what a policy did: they are not judged against each other.`,
      remedy: `Use a number of shards that has no divisor in common with ${String(retry.length)}, such as ${String(shards + 1)}, or one process.`,
    },
  ];
}
