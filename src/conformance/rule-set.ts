import { randomInt } from 'node:crypto';
import { ChatLoadError } from '../base/errors.ts';
import { planSession } from '../plan/session-plan.ts';
import type { ResolvedScenario } from '../plan/resolve-scenario.ts';
import { protocolName, protocolNames, protocols } from '../protocol/registry/registry.ts';
import { embeddedOptions, type EmbeddedOptions, type ResolvedEmbedded } from '../scenario/embedded.ts';
import type { Exchanges, TalkEffects } from './exchanges.ts';
import type { BoundRule, RuleFacts, Words } from './rule.ts';

/** The rules of one protocol, and their tests. */
export interface RuleSet {
  /** The description that contains the sections of its rules; `undefined`: the description of chat-messaging. */
  description: string | undefined;
  /** In the order of their tests. */
  rules: readonly RuleFacts[];
  /** Settings of the embedded service with which every rule can be tested. */
  embedded: EmbeddedOptions;
  begin(resolved: ResolvedScenario, needs: Needs, effects: TalkEffects): Trial;
}

/** The rules with the conversation that they examine. */
interface Trial {
  rules: readonly BoundRule[];
  talk: Pick<Exchanges, 'count' | 'refusal'>;
}

/** Input of the rules besides a target, from flags and environment. */
export interface Needs {
  chatOffAgentId: string | undefined;
  wrongKindKey: string | undefined;
  variable: { name: string; value: string | undefined } | undefined;
  words: Words;
}

/** Returns the rules of the protocol of a scenario. Throws a usage error if it has none. */
export async function ruleSetOf({ script }: Pick<ResolvedScenario, 'script'>): Promise<RuleSet> {
  const name = protocolName(script.protocol.name);
  if (name !== undefined) return (await protocols[name].rules()).ruleSet;
  throw new ChatLoadError('usage', {
    message: `check has no rules for the protocol ${script.protocol.name}, because the scenario defines it.`,
    hint: `Test a definition by a conversation: chat-load try SCENARIO. Rules are available for ${protocolNames.join(', ')}; if the service has one of these APIs, select it with --protocol.`,
  });
}

/** Returns the options of the embedded service for a check, without the latency and the faults of the scenario. */
export function embeddedForCheck({ agents, keys }: ResolvedEmbedded, options: EmbeddedOptions): ResolvedEmbedded {
  return { ...embeddedOptions.parse(options), agents, keys };
}

/** Adds the defaults that the embedded service provides. */
export function needsFromEmbedded(needs: Needs, { agents, keys }: ResolvedEmbedded, agentId: string): Needs {
  const own = agents.find(({ id }) => id === agentId);
  const name = /\{\{\s*([\w.-]{1,200})\s*\}\}/.exec(own?.instructions ?? '')?.[1];
  return {
    ...needs,
    chatOffAgentId: needs.chatOffAgentId ?? agents.find(({ chat, account }) => !chat && account === own?.account)?.id,
    wrongKindKey: needs.wrongKindKey ?? keys.find(({ kind }) => kind !== 'developer')?.key,
    variable: needs.variable ?? (name === undefined ? undefined : { name, value: undefined }),
  };
}

/** Returns the values of a scenario's first session, which every message contains, as JSON text. */
export function valuesOf(script: ResolvedScenario['script']): string | undefined {
  return planSession(script, 1).variableValues(1);
}

/** Returns a unique word that looks like a code to a language model. */
export function newCode(): string {
  return `QX${String(randomInt(10_000_000, 100_000_000))}`;
}
