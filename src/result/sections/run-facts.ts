import { z } from 'zod';
import { messageOf } from '../../base/errors.ts';
import type { StopWithInstant } from '../../schedule/stop/stop-controller.ts';
import { text, durationMs } from '../../base/field.ts';
import { keyRemedy } from '../../protocol/refused-key.ts';
import { traitsOf, type FinishedClass } from '../../protocol/outcome.ts';
import type { Operation } from '../../protocol/protocol.ts';

const serviceRemedy = 'Check whether the service is up. stopWhen in the scenario sets how long to wait for it.';

/** What can end a run before its end, and what to do about it where that is the same for every run. */
const stopKinds = {
  max_duration: ['maxDuration', null],
  cap: ['maxTurns, maxSessions or maxCost', null],
  gate: ['a gate with abort', null],
  no_success: ['no turn ok for too long', serviceRemedy],
  target_gone: ['target unreachable for too long', serviceRemedy],
  target_unfit: ['a target that answered, but never with ok', null],
  checks_failed: [
    'first replies that all failed a check',
    'See the examples in the result: either the replies are wrong, or the checks of the scenario are. stopWhen.unusable sets how many are enough.',
  ],
  circuit: ['a refused key (401, 403)', keyRemedy],
  token_lost: [
    'a token that had ended and could not be renewed',
    'Look at where tokens come from (target.auth, --token-command). Everything until then is in the result.',
  ],
  signal: ['a signal', null],
  scenario_error: ['a function of the scenario that failed', null],
  caller_error: ['a function of the program that called the library that failed', null],
  journal: [
    'a journal that could not be written',
    'The result contains everything until then. Free disk space, or name another folder with --out.',
  ],
  fleet_lost: [
    'shards of which none could be reached any more',
    'Look at the workers and at the broker between them; docs/fleet.md says what each kind of failure looks like.',
  ],
  bug: ['a mistake of chat-load', null],
} as const satisfies Record<StopWithInstant['kind'], readonly [meaning: string, remedy: string | null]>;

export const stopSchema = z.object({
  kind: z.enum(Object.keys(stopKinds) as StopWithInstant['kind'][]).describe(
    Object.values(stopKinds)
      .map(([meaning]) => meaning)
      .join('; '),
  ),
  reason: text('The same in words, with figures; secrets are redacted'),
  remedy: z.string().nullable().describe('What to do about it; null where nothing is wrong, or nothing is known'),
  atMs: z
    .number()
    .describe('When the run was stopped, since its start; sessions may have ended after it (milliseconds)'),
});
export type Stop = z.infer<typeof stopSchema>;

/** What ended a run, as it is published; secrets are still in it. */
export function publishStop(stop: StopWithInstant | undefined): Stop | null {
  if (stop === undefined) return null;
  const { kind, atMs } = stop;
  return { kind, reason: whyOf(stop), remedy: remedyOf(stop), atMs };
}

function whyOf(stop: StopWithInstant): string {
  if (stop.kind === 'signal') return `stopped by ${stop.name ?? 'a signal'}`;
  return 'why' in stop ? stop.why : messageOf(stop.error);
}

function remedyOf(stop: StopWithInstant): string | null {
  if (stop.kind !== 'target_unfit') return stopKinds[stop.kind][1];
  const remedy = targetRemedy(stop.operation, stop.outcome);
  return stop.elsewhere === undefined ? remedy : `${remedy} ${stop.elsewhere}`;
}

const runStatuses = ['completed', 'stopped', 'interrupted', 'recovered'] as const;

/** What is known of a run apart from its figures. */
export const runFactsSchema = z.object({
  id: text('A unique name of the run'),
  label: z.string().nullable().describe('The label given on the command line; null without one'),
  sitting: z.string().nullable().describe('Shared by runs measured one after another; null for a single run'),
  pair: z.string().nullable().describe('Shared by the two runs of an interleaved pair; null for a single run'),
  startedAt: z.iso.datetime().describe('Start of the load (ISO 8601, UTC)'),
  endedAt: z.iso.datetime().describe('End of the load (ISO 8601, UTC)'),
  status: z
    .enum(runStatuses)
    .describe('completed; stopped before its end, see stop; interrupted by a signal; recovered from a journal'),
  stop: stopSchema.nullable().describe('What ended the run before its end; null when nothing did'),
  toolVersion: text('The version of chat-load'),
});
export type RunFacts = z.infer<typeof runFactsSchema>;

export const runSchema = runFactsSchema.extend({
  durationMs: durationMs(
    'From the start of the load to the end of the last session, including warm-up and grace period',
  ),
});

/** What a person can do about a target that answered like this. */
export function targetRemedy(operation: Operation, outcome: FinishedClass): string {
  const cause = targetCause(operation, outcome);
  return cause.endsWith('.') ? cause : `${cause}: ${tryIt}`;
}

/** What to check about such a target; without a full stop if only its requests and responses show more. */
export function targetCause(operation: Operation, outcome: FinishedClass): string {
  if (outcome === 'contract_broken')
    return `Its replies are not those of the chat API${operation === 'create' ? idPlaces : ''}`;
  const known = remedies[outcome];
  if (known !== undefined) return known;
  if (traitsOf(outcome).retriedByDefault) return 'Check whether the service is up and answers within the timeout.';
  const places = operation === 'create' ? 'and target.createSession.path lead' : 'leads';
  return `Check whether the base URL ${places} to the chat API`;
}

const idPlaces =
  ', or the id of a session is elsewhere in them (target.createSession.sessionIdFrom, or createSession.sessionId of defineProtocol)';

const tryIt =
  '`chat-load try`, with the same scenario or the same --url and --model, prints a conversation with it as sent and received, for a protocol of defineProtocol too, and finds the protocols that it speaks.';

const remedies: Readonly<Partial<Record<FinishedClass, string>>> = {
  unauthorized: keyRemedy,
  forbidden: keyRemedy,
  agent_not_found: 'Check whether the agent (--agent-id or target.agentId) belongs to the account of this key.',
  chat_disabled: 'Switch chat on for this agent, or name another with --agent-id.',
  missing_fields: 'The service reports a field as missing that was sent',
  check_failed: 'See the example: the reply broke a check of the scenario or of the integrity guard.',
};
