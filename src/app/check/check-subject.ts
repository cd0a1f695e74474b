import { randomInt } from 'node:crypto';
import type { Subject } from '../../conformance/chat-messaging/subject.ts';
import type { ApiSubject } from '../../conformance/model-api/api-talk.ts';
import type { Dialect } from '../../conformance/model-api/dialect.ts';
import type { Words } from '../../conformance/words.ts';
import { planSession } from '../../plan/session-plan.ts';
import type { Settled } from '../../plan/settle.ts';
import { embeddedOptions, type EmbeddedOptions, type SettledEmbedded } from '../../scenario/embedded.ts';
import { createRoute } from '../../protocol/chat-messaging/chat-messaging.ts';
import type { ChatApi } from '../../protocol/protocol.ts';
import { createBody } from '../../protocol/chat-messaging/create-body.ts';

/** What the rules need beside a target, from flags and environment. */
export interface Needs {
  chatOffAgentId: string | undefined;
  wrongKindKey: string | undefined;
  variable: { name: string; value: string | undefined } | undefined;
  words: Words;
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

/** The service that a settled scenario aims at, as the rules see it; its first session's values go with every message. */
export function subjectOf({ plan, script, auth }: Settled, needs: Needs): Subject {
  const { agentId, createSession } = plan.target;
  const { variable } = needs;
  const route = createRoute(createSession.path);
  const named = variable && { name: variable.name, value: variable.value ?? newCode() };
  const values = JSON.parse(valuesOf(script) ?? '{}') as Record<string, unknown>;
  return {
    agentId,
    creation: (id) => ({ route, body: createBody(createSession.body, id) }),
    sessionIdFrom: createSession.sessionIdFrom,
    chatOffAgentId: needs.chatOffAgentId,
    isOpen: auth.kind === 'none',
    hasWrongKindKey: needs.wrongKindKey !== undefined,
    variable: named,
    values: named === undefined ? values : { ...values, [named.name]: named.value },
    words: needs.words,
    newCode,
  };
}

/** The same for a service that is spoken to as a model is. */
export function apiSubjectOf({ plan, script, auth }: Settled, { words }: Needs, dialect: Dialect): ApiSubject {
  const target = { ...plan.target, instructions: script.instructions };
  const open = (stream: boolean): ChatApi => script.protocol.open({ ...target, stream });
  return {
    dialect,
    whole: open(false),
    streamed: open(true),
    values: valuesOf(script) ?? '',
    timeoutMs: plan.timeoutMs,
    isOpen: auth.kind === 'none',
    words,
    newCode,
  };
}

const valuesOf = (script: Settled['script']): string | undefined => planSession(script, 1).variableValues(1);

/** Looks like a code to a language model, and occurs nowhere else. */
export function newCode(): string {
  return `QX${String(randomInt(10_000_000, 100_000_000))}`;
}
