import { randomInt } from 'node:crypto';
import type { Subject, Words } from '../../conformance/subject.ts';
import { planSession } from '../../plan/session-plan.ts';
import type { Settled } from '../../plan/settle.ts';
import { embeddedOptions, type SettledEmbedded } from '../../scenario/embedded.ts';
import { createRoute } from '../../protocol/chat-messaging/chat-messaging.ts';
import { createBody } from '../../protocol/chat-messaging/create-body.ts';

/** What the rules need beside a target, from flags and environment. */
export interface Needs {
  chatOffAgentId: string | undefined;
  wrongKindKey: string | undefined;
  variable: { name: string; value: string | undefined } | undefined;
  words: Words;
}

/**
 * The embedded service for a check: fast and without the faults of a scenario, but for one 500 and one
 * failure of its provider, so that the rules on them are seen too.
 */
export function embeddedForCheck({ agents, keys }: SettledEmbedded): SettledEmbedded {
  return {
    ...embeddedOptions.parse({
      faults: [
        { kind: 'internal_error', first: 1 },
        { kind: 'provider', first: 1 },
      ],
    }),
    agents,
    keys,
  };
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

/** The service that a settled scenario aims at, as the rules see it; its first session's values go with every message. */
export function subjectOf({ plan, script }: Settled, needs: Needs): Subject {
  const { agentId, createSession } = plan.target;
  const { variable } = needs;
  const route = createRoute(createSession.path);
  const named = variable && { name: variable.name, value: variable.value ?? newCode() };
  const values = JSON.parse(planSession(script, 1).variableValues(1) ?? '{}') as Record<string, unknown>;
  return {
    agentId,
    creation: (id) => ({ route, body: createBody(createSession.body, id) }),
    sessionIdFrom: createSession.sessionIdFrom,
    chatOffAgentId: needs.chatOffAgentId,
    hasWrongKindKey: needs.wrongKindKey !== undefined,
    variable: named,
    values: named === undefined ? values : { ...values, [named.name]: named.value },
    words: needs.words,
    newCode,
  };
}

/** Looks like a code to a language model, and occurs nowhere else. */
export function newCode(): string {
  return `QX${String(randomInt(10_000_000, 100_000_000))}`;
}
