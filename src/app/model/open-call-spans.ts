import { randomUUID } from 'node:crypto';
import { machineOffsetMs } from '../../edge/clock.ts';
import { CallSpans } from '../../model-calls/call-spans.ts';
import type { Plan } from '../../plan/plan.ts';
import { openSpans } from '../spans/open-spans.ts';
import type { ModelOwnerCalls } from './model-messages.ts';

/** Opens the export of the spans of a run's model calls. The processes of the load warn if it is not possible. */
export async function openCallSpans(
  plan: Plan | undefined,
  owner: Pick<ModelOwnerCalls, 'lostSpans'>,
  run: string,
): Promise<{ calls: CallSpans; end: () => Promise<void> } | undefined> {
  const spans =
    plan &&
    (await openSpans({ run, plan, redact: (text) => text, offsetMs: machineOffsetMs, named: 'spans of model calls' }));
  if (spans === undefined || 'code' in spans) return undefined;
  const newTraceId = (): string => randomUUID().replaceAll('-', '');
  const end = async (): Promise<void> => {
    for (const { message, remedy } of await spans.end(new AbortController().signal))
      owner.lostSpans({ code: 'model_traces_not_exported', message, remedy });
  };
  return {
    calls: new CallSpans({ run: run.slice(0, 8), isSampled: spans.isSampled, newTraceId, add: spans.add }),
    end,
  };
}
