import pLimit from 'p-limit';
import { later, type Clock } from '../../base/time.ts';
import { keyOf, randomOf } from '../../base/random.ts';
import { meanOf, sampleDuration } from '../../plan/distributions.ts';
import type { SettledEmbedded } from '../../scenario/embedded.ts';
import { composeReply } from './compose-reply.ts';
import type { ProviderReply, Prompt, Provider } from './provider.ts';
import { parseJson } from '../../base/json.ts';

type ScriptedOptions = Pick<SettledEmbedded, 'latency' | 'capacity' | 'seed' | 'stream'>;

/**
 * A provider with scripted replies: a latency distribution over a capacity of replies at once, the others in a
 * queue, so that it saturates like a real one. Latencies are drawn in the order in which replies are begun.
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
  const hasPlace = (): boolean => limit.activeCount + limit.pendingCount < limit.concurrency;
  return {
    stream: (prompt, since, play) => {
      // A reply that has to wait for its place takes its time from then on.
      const begins = hasPlace() ? since : undefined;
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

/** The call of a tool that a message asks for, unless its result is there already. */
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
