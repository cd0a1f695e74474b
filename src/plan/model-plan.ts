import type { SettledModel } from '../scenario/model-options.ts';
import { digestOf } from './digest.ts';
import type { ModelPlan } from './plan.ts';

/** Returns the model service as in the plan: without its keys and the texts of its replies. */
export function modelPlanOf({ keys, replies, forward, header, match, ...rest }: SettledModel): ModelPlan {
  return {
    ...rest,
    keys: keys === undefined ? null : keys.length,
    replies: { count: replies.length, hash: digestOf(replies) },
    forward: forward === undefined ? null : { openai: forward.openai ?? null, anthropic: forward.anthropic ?? null },
    header: header ?? null,
    match: match ?? null,
  };
}

/** Returns the part of the workload: not its address, its keys, or the way in which calls are attributed. */
export function modelWorkloadOf(model: SettledModel): object {
  const {
    host: _host,
    port: _port,
    keys: _keys,
    header: _header,
    match: _match,
    orphanGrace: _grace,
    ...workload
  } = model;
  return workload;
}
