import type { ResolvedModel } from '../scenario/model-options.ts';
import { digestOf } from './digest.ts';
import type { ModelPlan } from './plan.ts';

/** Returns the model service as in the plan: without its keys and the texts of its replies. */
export function modelPlanOf({ keys, replies, forward, header, match, orphanGrace, ...rest }: ResolvedModel): ModelPlan {
  return {
    ...rest,
    keys: keys === undefined ? null : keys.length,
    replies: { count: replies.length, hash: digestOf(replies) },
    forward: forward === undefined ? null : { openai: forward.openai ?? null, anthropic: forward.anthropic ?? null },
    header: header ?? null,
    match: match ?? null,
    orphanGraceMs: orphanGrace,
  };
}

/** Options that are not part of the workload: the address, the keys, and the way in which calls are attributed. */
const apart = ['host', 'port', 'keys', 'header', 'match', 'orphanGrace'];

/** Returns the part of the workload. */
export function modelWorkloadOf(model: ResolvedModel): object {
  return Object.fromEntries(Object.entries(model).filter(([name]) => !apart.includes(name)));
}
