import { ChatLoadError } from '../base/errors.ts';
import type { RunStop } from '../schedule/stop/stop-controller.ts';
import type { FromShard } from './messages.ts';

/** What a shard that stops by itself means for the run. */
export type ShardStop = Exclude<
  RunStop,
  { kind: 'signal' | 'caller_error' | 'target_unfit' | 'checks_failed' | 'journal' }
>;

/** `undefined` for a stop that a shard cannot have: it says nothing of the run. */
export function readShardStop({ stop, of }: Extract<FromShard, { kind: 'stopping' }>): ShardStop | undefined {
  const { kind, reason } = stop;
  switch (kind) {
    case 'circuit':
    case 'token_lost':
    case 'max_duration':
    case 'no_success':
    case 'target_gone':
    case 'gate':
    case 'fleet_lost':
      return { kind, why: reason };
    case 'cap':
      return { kind, of: of ?? 'turns', why: reason };
    case 'scenario_error':
      return {
        kind,
        error: new ChatLoadError('usage', {
          message: reason,
          hint: 'Fix the function in the scenario file; `chat-load plan` tries it without sending anything.',
        }),
      };
    case 'bug':
      return { kind, error: new Error(reason) };
    case 'target_unfit':
    case 'checks_failed':
    case 'signal':
    case 'caller_error':
    case 'journal':
      return undefined;
  }
}
