import { ChatLoadError } from '../../base/errors.ts';
import { anthropicMessages } from '../../conformance/anthropic-messages/anthropic-dialect.ts';
import { messageRules } from '../../conformance/anthropic-messages/message-rules.ts';
import { rules } from '../../conformance/chat-messaging/rules.ts';
import { Talk } from '../../conformance/chat-messaging/talk.ts';
import type { Refusal, TalkEffects } from '../../conformance/exchanges.ts';
import { apiRules } from '../../conformance/model-api/api-rules.ts';
import { ApiTalk, type ApiRule } from '../../conformance/model-api/api-talk.ts';
import type { Dialect } from '../../conformance/model-api/dialect.ts';
import { chunkRules } from '../../conformance/openai-chat/chunk-rules.ts';
import { openaiChat } from '../../conformance/openai-chat/chat-dialect.ts';
import { responseRules } from '../../conformance/openai-responses/response-rules.ts';
import { openaiResponses } from '../../conformance/openai-responses/responses-dialect.ts';
import { bindRules, type BoundRule, type RuleFacts } from '../../conformance/rule.ts';
import type { Settled } from '../../plan/settle.ts';
import type { EmbeddedOptions } from '../../scenario/embedded.ts';
import { protocolNames, type ProtocolName } from '../../scenario/known-protocols.ts';
import { apiSubjectOf, subjectOf, type Needs } from './check-subject.ts';

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

/** The rules of the protocol that a settled scenario is spoken by. Throws a usage error where it has none. */
export function ruleSetOf({ script }: Pick<Settled, 'script'>): RuleSet {
  const name = protocolNames.find((known) => known === script.protocol.name);
  if (name !== undefined) return ruleSets[name];
  throw new ChatLoadError('usage', {
    message: `check has no rules for the protocol ${script.protocol.name}, which the scenario defines.`,
    hint: `It knows those of ${protocolNames.join(', ')}: name one with --protocol.`,
  });
}

const ofApi = (dialect: Dialect, own: readonly ApiRule[]): RuleSet => {
  const set = apiRules(dialect, own);
  return {
    description: dialect.description,
    rules: set,
    // Slow enough for the pieces to come one after the other.
    embedded: { stream: { gap: '20ms' } },
    begin: (settled, needs, effects) => {
      const talk = new ApiTalk(apiSubjectOf(settled, needs, dialect), effects);
      return { talk, rules: bindRules(set.map(settled.plan.target.stream ? asIs : mayNotStream), talk) };
    },
  };
};

const asIs = <Rule>(rule: Rule): Rule => rule;

/** A service that refuses streams, or answers with a whole reply instead, can be loaded without them. */
const mayNotStream = <Rule extends RuleFacts>(rule: Rule): Rule =>
  rule.id === 'stream-type' || rule.id === 'stream-begins' ? { ...rule, standing: 'recommended' } : rule;

const ruleSets: Readonly<Record<ProtocolName, RuleSet>> = {
  'chat-messaging': {
    description: undefined,
    rules,
    // One 500 and one failure of the provider: what cannot be provoked from outside.
    embedded: {
      faults: [
        { kind: 'internal_error', first: 1 },
        { kind: 'provider', first: 1 },
      ],
    },
    begin: (settled, needs, effects) => {
      const talk = new Talk(subjectOf(settled, needs), effects);
      return { talk, rules: bindRules(rules, talk) };
    },
  },
  'openai-chat': ofApi(openaiChat, chunkRules),
  'openai-responses': ofApi(openaiResponses, responseRules),
  'anthropic-messages': ofApi(anthropicMessages, messageRules),
};
