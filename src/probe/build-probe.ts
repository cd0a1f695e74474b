import { z } from 'zod';
import { count, durationMs, text } from '../base/field.ts';
import { ms } from '../base/time.ts';
import { coreNeedsOf, coreNeedsSchema, type CoreNeeds } from '../plan/core-needs.ts';
import { forecast } from '../plan/forecast.ts';
import type { Plan } from '../plan/plan.ts';
import type { Script } from '../plan/script.ts';
import { meanTurns } from '../plan/distributions.ts';
import { ceilingOf, targetCeilingSchema } from './probe-ceiling.ts';
import {
  demandSchema,
  limitingSides,
  limitOf,
  suggest,
  suggestionSchema,
  type Demand,
  type ProbeSides,
} from './probe-limit.ts';
import { probeWarnings } from './probe-warnings.ts';
import { type ProbeFacts, generatorCeilingSchema, probeEnds, probeStepSchema, rateOf } from './probe.ts';
import { warningSchema } from '../result/sections/warning.ts';

/** The document of a probe. Rates are ok turns per second. */
export const probeSchema = z.object({
  kind: z.literal('chat-load/probe'),
  schemaVersion: z.literal(1),
  toolVersion: text('Version of chat-load'),
  startedAt: text('Start time (ISO 8601, UTC)'),
  elapsedMs: durationMs('Duration'),
  target: z.object({ baseUrl: z.string(), embedded: z.boolean(), agentId: z.string() }),
  scenario: z.string().nullable().describe("Name of the scenario; null for the probe's own sessions"),
  steps: z.array(probeStepSchema),
  end: z.enum(probeEnds).describe('Reason why no further step was taken'),
  turnsSent: count('Turns sent to the target'),
  singleConnectionReplyMs: durationMs(
    'Time from one turn to the next on one connection; null if no turn was ok',
  ).nullable(),
  ceiling: targetCeilingSchema.nullable(),
  generator: generatorCeilingSchema.nullable(),
  demand: demandSchema.nullable(),
  cores: coreNeedsSchema.nullable(),
  limit: z.enum(limitingSides).nullable(),
  suggestion: suggestionSchema.nullable(),
  warnings: z.array(warningSchema),
});
export type ProbeDocument = z.infer<typeof probeSchema>;

/** Builds the document of a probe; `isOwn`: the sessions were the probe's own and not a scenario's. */
export function buildProbe(facts: ProbeFacts, { plan, script, isOwn }: ProbedScenario): ProbeDocument {
  const { steps, end } = facts;
  const alone = rateOf(steps[0] ?? { connections: 1, autocannon: null, chatLoad: null });
  const ceiling = ceilingOf(steps, end);
  const sides = ceiling && facts.generator && { target: ceiling, generator: facts.generator };
  const demand = ceiling && demandOf({ plan, script }, { aloneMs: 1000 / alone, kneeMs: ceiling.knee.replyMs });
  return {
    kind: 'chat-load/probe',
    schemaVersion: 1,
    toolVersion: facts.toolVersion,
    startedAt: facts.startedAt,
    elapsedMs: facts.elapsedMs,
    target: { baseUrl: facts.baseUrl, embedded: facts.embedded, agentId: plan.target.agentId },
    scenario: isOwn ? null : plan.name,
    steps: [...steps],
    end,
    turnsSent: facts.turnsSent,
    singleConnectionReplyMs: alone === 0 ? null : 1000 / alone,
    ceiling: ceiling ?? null,
    generator: facts.generator ?? null,
    demand: (!isOwn && demand) || null,
    cores: (!isOwn && sides && coresOf({ plan, script }, sides, alone)) || null,
    limit: sides && demand ? limitOf(sides, isOwn ? Infinity : (demand.turnsPerSecond ?? Infinity)) : null,
    suggestion: sides && demand && end !== 'signal' ? suggest(sides, demand) : null,
    warnings: [...facts.warnings, ...probeWarnings(facts, { plan, ceiling })],
  };
}

interface ProbedScenario {
  plan: Plan;
  script: Script;
  isOwn: boolean;
}

/** Returns the number of generator processes that the scenario requires, or that the target's ceiling requires if the target sets the pace. */
function coresOf(
  { plan, script }: Pick<ProbedScenario, 'plan' | 'script'>,
  { target, generator }: ProbeSides,
  alonePerSecond: number,
): CoreNeeds {
  const replyMs = alonePerSecond > 0 ? 1000 / alonePerSecond : target.knee.replyMs;
  const asked = forecast({ ...plan, embedded: null }, script, ms(replyMs));
  const peakTurnsPerSecond = asked.peakTurnsPerSecond ?? (target.reached ? target.turnsPerSecond : null);
  return coreNeedsOf({ ...asked, peakTurnsPerSecond }, generator.turnsPerSecond);
}

/** Returns the demand of the scenario, by the same forecast as `chat-load plan`. */
function demandOf(
  { plan, script }: Pick<ProbedScenario, 'plan' | 'script'>,
  { aloneMs, kneeMs }: { aloneMs: number; kneeMs: number },
): Demand {
  const known = Number.isFinite(aloneMs) ? aloneMs : kneeMs;
  // The demand does not depend on the capacity: the service's capacity has been measured.
  const asked = { ...plan, embedded: null };
  return {
    turnsPerSecond: forecast(asked, script, ms(known)).peakTurnsPerSecond,
    turnsPerSession: meanTurns(script.turns),
    sessionMsAtKnee: forecast(asked, script, ms(kneeMs)).sessionMs,
  };
}
