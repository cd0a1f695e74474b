import { ms } from '../base/time.ts';
import { forecast } from '../plan/forecast.ts';
import type { Plan } from '../plan/plan.ts';
import type { Script } from '../plan/script.ts';
import { meanTurns } from '../plan/session-plan.ts';
import { ceilingOf, type TargetCeiling } from './probe-ceiling.ts';
import { limitOf, suggest, type Demand, type LimitingSide, type Suggestion } from './probe-limit.ts';
import { probeWarnings } from './probe-warnings.ts';
import type { ProbeFacts } from './probe-facts.ts';
import { rateOf, type GeneratorCeiling, type ProbeEnd, type ProbeStep } from './probe.ts';
import type { Warning } from '../result/sections/warning.ts';

/** The document of a probe. Rates are turns per second, of turns that were answered well. */
export interface ProbeDocument {
  kind: 'chat-load/probe';
  schemaVersion: 1;
  toolVersion: string;
  startedAt: string;
  elapsedMs: number;
  target: { baseUrl: string; embedded: boolean; agentId: string };
  /** `null`: sessions of the probe's own. */
  scenario: string | null;
  steps: readonly ProbeStep[];
  end: ProbeEnd;
  turnsSent: number;
  /** The time from a turn to the next at one connection; `null` when none was answered well. */
  replyMsAlone: number | null;
  ceiling: TargetCeiling | null;
  generator: GeneratorCeiling | null;
  demand: Demand | null;
  limit: LimitingSide | null;
  suggestion: Suggestion | null;
  warnings: readonly Warning[];
}

/** Judges what a probe saw; `isOwn` says that the sessions were the probe's own and not a scenario's. */
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
    steps,
    end,
    turnsSent: facts.turnsSent,
    replyMsAlone: alone === 0 ? null : 1000 / alone,
    ceiling: ceiling ?? null,
    generator: facts.generator ?? null,
    demand: (!isOwn && demand) || null,
    limit: sides && demand ? limitOf(sides, isOwn ? Infinity : demand.turnsPerSecond) : null,
    suggestion: sides && demand && end !== 'signal' ? suggest(sides, demand) : null,
    warnings: [...facts.warnings, ...probeWarnings(facts, { plan, ceiling })],
  };
}

interface ProbedScenario {
  plan: Plan;
  script: Script;
  isOwn: boolean;
}

/** What the scenario would ask for, by the same forecast as `chat-load plan`. */
function demandOf(
  { plan, script }: Pick<ProbedScenario, 'plan' | 'script'>,
  { aloneMs, kneeMs }: { aloneMs: number; kneeMs: number },
): Demand {
  const known = Number.isFinite(aloneMs) ? aloneMs : kneeMs;
  return {
    // Without a pace of its own it asks for all that there is.
    turnsPerSecond: forecast(plan, script, ms(known)).peakTurnsPerSecond ?? Infinity,
    turnsPerSession: meanTurns(script.turns),
    sessionMsAtKnee: forecast(plan, script, ms(kneeMs)).sessionMs,
  };
}
