import { randomInt } from 'node:crypto';
import { ChatLoadError } from '../base/errors.ts';
import { planSession } from '../plan/session-plan.ts';
import type { Settled } from '../plan/settle.ts';
import { protocolName, protocolNames, protocols } from '../protocol/registry/registry.ts';
import { embeddedOptions, type EmbeddedOptions, type SettledEmbedded } from '../scenario/embedded.ts';
import type { Refusal, TalkEffects } from './exchanges.ts';
import type { BoundRule, RuleFacts, Words } from './rule.ts';

/** The rules of one protocol, and what it takes to try them. */
export interface RuleSet {
  /** The description that the sections of its rules are of; `undefined`: that of chat-messaging. */
  description: string | undefined;
  /** In the order in which they are tried. */
  rules: readonly RuleFacts[];
  /** How the embedded service is started, so that every rule can be seen. */
  embedded: EmbeddedOptions;
  begin(settled: Settled, needs: Needs, effects: TalkEffects): Trial;
}

/** The rules with the conversation that they look at. */
interface Trial {
  rules: readonly BoundRule[];
  /** What is known of the conversation, once the rules were tried. */
  talk: { readonly exchanges: number; readonly refusal: Refusal | undefined };
}

/** What the rules need beside a target, from flags and environment. */
export interface Needs {
  chatOffAgentId: string | undefined;
  wrongKindKey: string | undefined;
  variable: { name: string; value: string | undefined } | undefined;
  words: Words;
}

/** The rules of the protocol that a settled scenario is spoken by. Throws a usage error where it has none. */
export async function ruleSetOf({ script }: Pick<Settled, 'script'>): Promise<RuleSet> {
  const name = protocolName(script.protocol.name);
  if (name !== undefined) return (await protocols[name].rules()).ruleSet;
  throw new ChatLoadError('usage', {
    message: `check has no rules for the protocol ${script.protocol.name}, which the scenario defines.`,
    hint: `It knows those of ${protocolNames.join(', ')}: name one with --protocol.`,
  });
}

/** The embedded service for a check: with what its rules need, and without the latency and the faults of a scenario. */
export function embeddedForCheck({ agents, keys }: SettledEmbedded, options: EmbeddedOptions): SettledEmbedded {
  return { ...embeddedOptions.parse(options), agents, keys };
}

/** What the embedded service gives by itself where nothing else was said. */
export function needsFromEmbedded(needs: Needs, { agents, keys }: SettledEmbedded, agentId: string): Needs {
  const own = agents.find(({ id }) => id === agentId);
  const name = /\{\{\s*([\w.-]{1,200})\s*\}\}/.exec(own?.instructions ?? '')?.[1];
  return {
    ...needs,
    chatOffAgentId: needs.chatOffAgentId ?? agents.find(({ chat, account }) => !chat && account === own?.account)?.id,
    wrongKindKey: needs.wrongKindKey ?? keys.find(({ kind }) => kind !== 'developer')?.key,
    variable: needs.variable ?? (name === undefined ? undefined : { name, value: undefined }),
  };
}

/** The values of a scenario's first session, which go with every message, as JSON text. */
export function valuesOf(script: Settled['script']): string | undefined {
  return planSession(script, 1).variableValues(1);
}

/** Looks like a code to a language model, and occurs nowhere else. */
export function newCode(): string {
  return `QX${String(randomInt(10_000_000, 100_000_000))}`;
}
