import type { RuleFinding } from './try-rules.ts';

interface CheckFacts {
  toolVersion: string;
  startedAt: string;
  elapsedMs: number;
  target: { baseUrl: string; embedded: boolean; agentId: string };
  /** `null`: none was given. */
  scenario: string | null;
  /** HTTP exchanges, those included that were sent again after a 429 or 5xx. */
  exchanges: number;
  /** What to do where the first session or message was refused, so that hardly a rule could be tried; else `null`. */
  remedy: string | null;
  rules: readonly RuleFinding[];
}

/** The document of a check. */
export interface CheckDocument extends CheckFacts {
  kind: 'chat-load/check';
  schemaVersion: 1;
  counts: { tried: number; passed: number; failed: number; warned: number; notTried: number };
}

export function buildCheck(facts: CheckFacts): CheckDocument {
  const count = (verdict: RuleFinding['verdict']): number =>
    facts.rules.filter((rule) => rule.verdict === verdict).length;
  const notTried = count('not_tried');
  return {
    kind: 'chat-load/check',
    schemaVersion: 1,
    ...facts,
    counts: {
      tried: facts.rules.length - notTried,
      passed: count('pass'),
      failed: count('fail'),
      warned: count('warn'),
      notTried,
    },
  };
}
