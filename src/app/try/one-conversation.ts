import { keyOf } from '../../base/random.ts';
import { ms } from '../../base/time.ts';
import type { ScriptPart } from '../../plan/header-script.ts';
import { planSession } from '../../plan/session-plan.ts';
import type { Settled } from '../../plan/settle.ts';
import { steadyLoad } from '../../plan/level-load.ts';
import { questions } from '../../protocol/chat-messaging/questions.ts';

/** The longest that one attempt takes, whatever the scenario allows. */
const longestAttemptMs = 30_000;

/** Turns of tools included, whatever an agent calls. */
const mostTurns = 12;

/**
 * A settled scenario as one conversation: its first message and its variable values, then a code to remember, then the
 * question for it. No retries, no think time, no checks.
 */
export function oneConversation(settled: Settled, code: string): Settled {
  return withMessages(settled, [firstMessageOf(settled), questions.remember(code), questions.recall]);
}

/** A settled scenario as one streamed turn. */
export function oneStreamedTurn(settled: Settled): Settled {
  const { plan } = settled;
  return withMessages({ ...settled, plan: { ...plan, target: { ...plan.target, stream: true } } }, [
    firstMessageOf(settled),
  ]);
}

const firstMessageOf = ({ script }: Settled): string => planSession({ ...script, guardWords: undefined }, 1).message(1);

function withMessages(settled: Settled, messages: readonly string[]): Settled {
  const { plan, script } = steadyLoad(settled, { concurrency: 1, turns: messages.length, sessions: 1 });
  // A conversation of a file may have instructions of its own.
  const instructions = planSession(settled.script, 1).instructions() ?? script.instructions;
  return {
    ...settled,
    plan: {
      ...plan,
      onFailedTurn: 'stop',
      timeoutMs: ms(Math.min(plan.timeoutMs, longestAttemptMs)),
      maxTurns: mostTurns,
      abandon: null,
      integrity: { ...plan.integrity, mode: 'off' },
    },
    script: {
      ...script,
      instructions,
      messages: messages.map(partOf),
      conversations: undefined,
      next: undefined,
      checks: [],
      guardWords: undefined,
      cost: undefined,
    },
  };
}

const partOf = (text: string): ScriptPart => ({
  path: 'messages',
  key: keyOf('messages'),
  value: { constant: text, render: () => text },
});
