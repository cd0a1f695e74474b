import { z } from 'zod';
import { messageOf } from '../../base/errors.ts';
import type { StopWithInstant } from '../../schedule/stop/stop-controller.ts';
import { text, durationMs, textOrNull } from '../../base/field.ts';
import { keyRemedyOf } from '../../protocol/refused-key.ts';
import { traitsOf, type FinishedClass } from '../../protocol/outcome.ts';
import type { Operation } from '../../protocol/protocol.ts';

/** Kind of authorization, as in the plan. */
interface TargetPlan {
  auth: string;
}

const serviceRemedy = 'Check whether the service is up. stopWhen in the scenario sets how long to wait for it.';

/** Kinds of early ends of a run, with a remedy if it is the same for every run. */
const stopKinds = {
  max_duration: ['maxDuration', null],
  cap: ['maxTurns, maxSessions or maxCost', null],
  gate: ['a gate with abort', null],
  no_success: ['no successful turn for too long', serviceRemedy],
  target_gone: ['target unreachable for too long', serviceRemedy],
  target_unfit: ['a target that answered, but never successfully', null],
  checks_failed: [
    'all first replies failed a check',
    'See the examples in the result: either the replies or the checks of the scenario are wrong. stopWhen.unusable sets the number of replies that stops the run.',
  ],
  circuit: ['a rejected key (401, 403)', null],
  token_lost: [
    'an expired token that could not be renewed',
    'Check the source of tokens (target.auth, --token-command). The result contains everything before.',
  ],
  signal: ['a signal', null],
  scenario_error: ['a failed function of the scenario', null],
  caller_error: ['a failed function of the program that called the library', null],
  journal: [
    'a journal that could not be written',
    'The result contains everything before. Free disk space, or set another folder with --out.',
  ],
  fleet_lost: [
    'all shards became unreachable',
    'Check the workers and the Redis between them; docs/guides/many-machines.md describes each kind of failure.',
  ],
  model_lost: [
    'the loss of the model service of the run',
    'No figure of this run describes the agent after that. See standard error for the end of the model process, and whether its machine was out of memory; then run again.',
  ],
  bug: ['a bug in chat-load', null],
} as const satisfies Record<StopWithInstant['kind'], readonly [meaning: string, remedy: string | null]>;

export const stopSchema = z.object({
  kind: z.enum(Object.keys(stopKinds) as StopWithInstant['kind'][]).describe(
    Object.values(stopKinds)
      .map(([meaning]) => meaning)
      .join('; '),
  ),
  reason: text('Description with figures; secrets are redacted'),
  remedy: textOrNull('Remedy; null if nothing is wrong, or none is known'),
  atMs: z
    .number()
    .describe('Time of the stop, since the start of the run; sessions may have ended later (milliseconds)'),
});
export type Stop = z.infer<typeof stopSchema>;

/** Converts a stop to its published form; secrets are not redacted yet. */
export function publishStop(stop: StopWithInstant | undefined, target: TargetPlan = { auth: 'key' }): Stop | null {
  if (stop === undefined) return null;
  const { kind, atMs } = stop;
  return { kind, reason: whyOf(stop), remedy: remedyOf(stop, target), atMs };
}

function whyOf(stop: StopWithInstant): string {
  if (stop.kind === 'signal') return `stopped by ${stop.name ?? 'a signal'}`;
  return 'why' in stop ? stop.why : messageOf(stop.error);
}

function remedyOf(stop: StopWithInstant, target: TargetPlan): string | null {
  if (stop.kind === 'circuit') return keyRemedyOf(target);
  if (stop.kind !== 'target_unfit') return stopKinds[stop.kind][1];
  const remedy = targetRemedy({ ...stop, ...target });
  return stop.elsewhere === undefined ? remedy : `${remedy} ${stop.elsewhere}`;
}

const runStatuses = ['completed', 'stopped', 'interrupted', 'recovered'] as const;

export const runFactsSchema = z.object({
  id: text('Unique id of the run; its first eight characters are {{run.id}}'),
  salt: textOrNull(
    'Eight characters from which the tags and codes of the integrity guard are derived, shared by the two runs of an interleaved pair; null in results of earlier versions',
  ).default(null),
  label: textOrNull('Label from the command line; null if there is none'),
  sitting: textOrNull('Batch of runs, shared by runs that were measured one after another; null for a single run'),
  pair: textOrNull('Shared by the two runs of an interleaved pair; null for a single run'),
  startedAt: z.iso.datetime().describe('Start of the load (ISO 8601, UTC)'),
  endedAt: z.iso.datetime().describe('End of the load (ISO 8601, UTC)'),
  status: z
    .enum(runStatuses)
    .describe('completed; stopped: ended early, see stop; interrupted: by a signal; recovered: from a journal'),
  stop: stopSchema.nullable().describe('Reason for an early end; null otherwise'),
  toolVersion: text('Version of chat-load'),
});
export type RunFacts = z.infer<typeof runFactsSchema>;

export const runSchema = runFactsSchema.extend({
  durationMs: durationMs(
    'Duration from the start of the load to the end of the last session, including warm-up and grace period',
  ),
});

/** A response of the target, and the kind of authorization of its request. */
interface TargetAnswer extends TargetPlan {
  operation: Operation;
  outcome: FinishedClass;
}

/** Returns the remedy for a target that answered like this. */
export function targetRemedy(answer: TargetAnswer): string {
  const cause = targetCause(answer);
  return cause.endsWith('.') ? cause : `${cause}: ${tryIt}`;
}

/** Returns the probable cause; without a full stop if only the requests and responses reveal more. */
export function targetCause({ operation, outcome, auth }: TargetAnswer): string {
  if (outcome === 'unauthorized' || outcome === 'forbidden') return keyRemedyOf({ auth });
  if (outcome === 'contract_broken')
    return `Its replies do not conform to the chat API${operation === 'create' ? idPlaces : ''}`;
  const known = remedies[outcome];
  if (known !== undefined) return known;
  if (traitsOf(outcome).retriedByDefault) return 'Check whether the service is up and answers within the timeout.';
  const places = operation === 'create' ? 'and target.createSession.path lead' : 'leads';
  return `Check whether the base URL ${places} to the chat API`;
}

const idPlaces =
  ', or the session id has another path (target.createSession.sessionIdFrom, or createSession.sessionId of defineProtocol)';

const tryIt =
  '`chat-load try`, with the same scenario or the same --url and --model, prints a conversation as sent and received, also for a protocol of defineProtocol, and finds the protocols that the target supports.';

const remedies: Readonly<Partial<Record<FinishedClass, string>>> = {
  timed_out:
    'Set a longer timeout (--timeout), or check whether the service is up. If a custom protocol received the whole reply, its definition does not recognize the end of replies, which chat-load try shows.',
  rate_limited: 'The service limits the rate of requests: lower the load, or try again later.',
  agent_not_found:
    'Check that the agent or model (--agent-id, --model or target.agentId) exists and belongs to the account of this key.',
  chat_disabled: 'Enable chat for this agent, or select another one with --agent-id.',
  missing_fields: 'The service reports a missing field that was sent',
  check_failed: 'See the example: the reply broke a check of the scenario or of the integrity guard.',
};
