/** What is said of one rule of a protocol. */
export interface RuleFacts {
  id: string;
  /** Of the description of the protocol. */
  section: string;
  /** In words. */
  rule: string;
  expected: string;
  /** `required`: a run reads other replies wrongly, or not at all; `recommended`: the description is silent, or a run does without it. */
  standing: 'required' | 'recommended';
}

/** One rule, and how to see by a conversation whether a service keeps it. */
export interface Rule<Talk> extends RuleFacts {
  /** Throws `Skipped` when it cannot be seen. */
  try: (talk: Talk) => Promise<Seen>;
}

/** One rule with the conversation by which it is tried. */
export interface BoundRule extends RuleFacts {
  try: () => Promise<Seen>;
}

export interface Seen {
  isKept: boolean;
  /** In words; texts of the service are raw in it. */
  seen: string;
}

/** Rules that look at one conversation. */
export function bindRules<Talk>(rules: readonly Rule<Talk>[], talk: Talk): BoundRule[] {
  return rules.map((rule) => ({ ...rule, try: () => rule.try(talk) }));
}

/** A rule cannot be tried: without something that an option gives, or an answer that it would look at. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** Skips a rule about keys where the service is asked without any. */
export function requireKey({ isOpen }: { isOpen?: boolean }): void {
  if (isOpen === true) throw new Skipped("the scenario asks without a key (target.auth: 'none')");
}

/** What is said to an agent to make it show what it remembers. */
export interface Words {
  /** Tells it a code. */
  remember: (code: string) => string;
  /** Asks for that code. */
  recall: string;
}
