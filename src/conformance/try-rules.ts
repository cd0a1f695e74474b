import type { RuleFinding } from './finding.ts';
import type { Rule } from './rule.ts';
import { Skipped } from './skipped.ts';
import type { Talk } from './talk.ts';

/**
 * Tries rules, one after the other. `clean` makes texts of the service fit to be shown: without keys, without control
 * characters. Rejects with an environment error when the service refuses the caller's own key.
 */
export async function tryRules(
  rules: readonly Rule[],
  talk: Talk,
  clean: (text: string) => string,
): Promise<RuleFinding[]> {
  const findings: RuleFinding[] = [];
  for (const rule of rules) {
    const { seen, verdict } = await tryRule(rule, talk);
    const { id, section, rule: words, expected, standing } = rule;
    findings.push({ id, section, rule: words, expected, standing, seen: clean(seen), verdict });
  }
  return findings;
}

async function tryRule(rule: Rule, talk: Talk): Promise<Pick<RuleFinding, 'seen' | 'verdict'>> {
  try {
    const { isKept, seen } = await rule.try(talk);
    return { seen, verdict: isKept ? 'pass' : rule.standing === 'settled' ? 'warn' : 'fail' };
  } catch (thrown) {
    if (!(thrown instanceof Skipped)) throw thrown;
    return { seen: thrown.message, verdict: 'skipped' };
  }
}
