import type { RuleFinding } from './check-document.ts';

/** One rule of a protocol. */
export interface RuleFacts {
  id: string;
  /** Section of the description of the protocol. */
  section: string;
  rule: string;
  expected: string;
  /** `required`: if it is violated, a run misreads replies or cannot read them; `recommended`: the description does not require it, or a run does not need it. */
  standing: 'required' | 'recommended';
}

/** One rule, with the test that a conversation conforms to it. */
export interface Rule<Talk> extends RuleFacts {
  /** Throws `Skipped` if it cannot be tested. */
  try: (talk: Talk) => Promise<Observation>;
}

/** One rule, bound to the conversation that tests it. */
export interface BoundRule extends RuleFacts {
  try: () => Promise<Observation>;
}

export interface Observation {
  conforms: boolean;
  /** Description; contains raw texts of the service. */
  seen: string;
}

export function bindRules<Talk>(rules: readonly Rule<Talk>[], talk: Talk): BoundRule[] {
  return rules.map((rule) => ({ ...rule, try: () => rule.try(talk) }));
}

/** A rule cannot be tested: an option, or a reply that it would examine, is missing. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** Skips a rule about keys if requests carry none. */
export function requireKey({ isOpen }: { isOpen?: boolean }): void {
  if (isOpen === true) throw new Skipped("the scenario sends no key (target.auth: 'none')");
}

/** Messages that make an agent show its memory. */
export interface Words {
  /** Sends it a code. */
  remember: (code: string) => string;
  /** Asks for that code. */
  recall: string;
}

/**
 * Tests rules one after another. `clean` makes texts of the service printable: without keys or control characters. Rejects
 * with an environment error if the service rejects the caller's own key. A rule after which the service refuses connections fails,
 * because its request, or the one before, ended the service; later rules are skipped (`isGone`).
 */
export async function tryRules(
  rules: readonly BoundRule[],
  clean: (text: string) => string,
  isGone: () => boolean = () => false,
): Promise<RuleFinding[]> {
  const findings: RuleFinding[] = [];
  for (const { try: test, ...facts } of rules) {
    const { id, section, rule, expected, standing } = facts;
    const outcome = isGone() ? gone : await outcomeOf(test, standing);
    const before = findings.at(-1)?.id;
    const { seen, verdict }: typeof outcome =
      outcome !== gone && isGone()
        ? {
            seen: `the service refuses connections${before === undefined ? '' : ` since rule ${before}`}`,
            verdict: 'fail',
          }
        : outcome;
    findings.push({ id, section, rule, expected, standing, seen: clean(seen), verdict });
  }
  return findings;
}

const gone: Pick<RuleFinding, 'seen' | 'verdict'> = { seen: 'the service refused connections', verdict: 'skipped' };

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
