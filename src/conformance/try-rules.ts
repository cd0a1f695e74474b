import type { RuleFinding } from './check-document.ts';
import { type BoundRule, Skipped } from './rule.ts';

/**
 * Tries rules, one after the other. `clean` makes texts of the service fit to be shown: without keys, without control
 * characters. Rejects with an environment error when the service refuses the caller's own key.
 */
export async function tryRules(rules: readonly BoundRule[], clean: (text: string) => string): Promise<RuleFinding[]> {
  const findings: RuleFinding[] = [];
  for (const rule of rules) {
    const { seen, verdict } = await tryRule(rule);
    const { id, section, rule: words, expected, standing } = rule;
    findings.push({ id, section, rule: words, expected, standing, seen: clean(seen), verdict });
  }
  return findings;
}

async function tryRule(rule: BoundRule): Promise<Pick<RuleFinding, 'seen' | 'verdict'>> {
  try {
    const { isKept, seen } = await rule.try();
    return { seen, verdict: isKept ? 'pass' : rule.standing === 'recommended' ? 'warn' : 'fail' };
  } catch (thrown) {
    if (!(thrown instanceof Skipped)) throw thrown;
    return { seen: thrown.message, verdict: 'skipped' };
  }
}
