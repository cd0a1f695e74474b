import { randomUUID } from 'node:crypto';
import { CallSpans } from '../../model-calls/call-spans.ts';
import { openSpans, type TracedPlan } from '../run/open-spans.ts';
import type { ModelOwnerCalls } from './model-messages.ts';

/** Opens the export of the spans of a run's model calls. The processes of the load warn if it is not possible. */
export async function openCallSpans(
  plan: TracedPlan | undefined,
  owner: Pick<ModelOwnerCalls, 'lostSpans'>,
  run: string,
): Promise<(Pick<CallSpans, 'started' | 'ended'> & { end: () => Promise<void> }) | undefined> {
  const given = { run, redact: (text: string) => text, warn: () => undefined, isMachineTime: true };
  const spans = plan && (await openSpans({ ...given, plan }));
  if (spans === undefined) return undefined;
  const { add, isSampled } = spans;
  const newTraceId = (): string => randomUUID().replaceAll('-', '');
  const calls = new CallSpans({ run: run.slice(0, 8), isSampled, newTraceId, add });
  return {
    started: (call) => calls.started(call),
    ended: (end) => calls.ended(end),
    end: async () => {
      for (const { message, remedy } of await spans.end(new AbortController().signal))
        owner.lostSpans({ code: 'model_traces_not_exported', message: `Of the model calls, ${message}`, remedy });
    },
  };
}
