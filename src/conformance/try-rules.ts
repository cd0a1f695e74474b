import type { RuleFinding } from './check-document.ts';
import { type BoundRule, Skipped } from './rule.ts';

/**
 * Tests rules one after another. `clean` makes texts of the service printable: without keys or control characters. Rejects
 * with an environment error if the service rejects the caller's own key.
 */
export async function tryRules(rules: readonly BoundRule[], clean: (text: string) => string): Promise<RuleFinding[]> {
  const findings: RuleFinding[] = [];
  for (const { try: test, ...facts } of rules) {
    const { seen, verdict } = await outcomeOf(test, facts.standing);
    const { id, section, rule, expected, standing } = facts;
    findings.push({ id, section, rule, expected, standing, seen: clean(seen), verdict });
  }
  return findings;
}

async function outcomeOf(
  test: BoundRule['try'],
  standing: BoundRule['standing'],
): Promise<Pick<RuleFinding, 'seen' | 'verdict'>> {
  try {
    const { conforms, seen } = await test();
    return { seen, verdict: conforms ? 'pass' : standing === 'recommended' ? 'warn' : 'fail' };
  } catch (thrown) {
    if (!(thrown instanceof Skipped)) throw thrown;
    return { seen: thrown.message, verdict: 'skipped' };
  }
}
