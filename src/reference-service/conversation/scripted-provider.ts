import pLimit from 'p-limit';
import { later, type Clock } from '../../base/time.ts';
import { keyOf, randomOf } from '../../base/random.ts';
import { meanOf, sampleDuration } from '../../plan/distributions.ts';
import type { ResolvedEmbedded } from '../../scenario/embedded.ts';
import { composeReply } from './compose-reply.ts';
import type { ProviderReply, Prompt, Provider } from './provider.ts';
import { parseJson } from '../../base/json.ts';

type ScriptedOptions = Pick<ResolvedEmbedded, 'latency' | 'capacity' | 'seed' | 'stream'>;

/**
 * Returns a provider with scripted replies: a latency distribution and a capacity of replies at once, the others in a
 * queue, so that it saturates like a real one. Latencies are drawn in the order in which replies begin.
 */
export function scriptedProvider(options: ScriptedOptions, clock: Clock): Provider {
  const draw = sampleDuration(options.latency, randomOf(options.seed, keyOf('latency')));
  const limit = pLimit(options.capacity ?? Infinity);
  const takesTime = meanOf(options.latency) > 0;
  const ponder = (): Promise<void> => new Promise((resolve) => clock.wakeAt(later(clock.now(), draw()), resolve));
  const slowly = (prompt: Prompt): Promise<ProviderReply> => limit(ponder).then(() => replyTo(prompt));
  const { firstToken } = options.stream;
  const drawFirst =
    firstToken === null ? draw : sampleDuration(firstToken, randomOf(options.seed, keyOf('firstToken')));
  const hasSlot = (): boolean => limit.activeCount + limit.pendingCount < limit.concurrency;
  return {
    stream: (prompt, since, play) => {
      // The latency of a reply that waits for a slot begins after the wait.
      const begins = hasSlot() ? since : undefined;
      return limit(() => play(replyTo(prompt), later(begins ?? clock.now(), drawFirst())));
    },
    answer: takesTime ? slowly : replyTo,
    load: () => ({ busy: limit.activeCount, waiting: limit.pendingCount }),
    close: () => limit.clearQueue(),
  };
}

const replyTo = (prompt: Prompt): ProviderReply =>
  (prompt.hasTools === true ? callOf(prompt) : undefined) ?? { kind: 'reply', text: composeReply(prompt) };

const asked = /\bcall the tool ([\w-]{1,64}) with (\{.*\})/is;

/** Returns the tool call that a message requests, unless it already has the result. */
function callOf({ message, toolResult }: Prompt): ProviderReply | undefined {
  const [, name, input] = (toolResult === undefined && asked.exec(message)) || [];
  return name !== undefined && input !== undefined && isJson(input) ? { kind: 'call', name, text: input } : undefined;
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}
