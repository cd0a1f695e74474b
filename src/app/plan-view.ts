import type { Ms } from '../base/time.ts';
import { foreseeComparison } from '../compare/outlook.ts';
import { coreNeedsOf } from '../plan/core-needs.ts';
import { forecast } from '../plan/forecast.ts';
import { planSession } from '../plan/session-plan.ts';
import type { Settled } from '../plan/settle.ts';
import { toolVersion } from '../edge/tool-version.ts';
import type { PlanView, SessionPreview } from '../report/plan/plan-document.ts';
import { assumedReply, foreseeSockets } from './run/check-sockets.ts';

interface PlanRequest {
  /** How long a reply is taken to be; else what a run would assume. */
  replyMs?: Ms | undefined;
  /** Number of sessions whose messages are shown. */
  preview?: number | undefined;
}

/** What a run would do, without sending anything. */
export async function viewPlan(settled: Settled, { replyMs: asked, preview = 2 }: PlanRequest = {}): Promise<PlanView> {
  const replyMs = asked ?? assumedReply(settled);
  const forecasted = forecast(settled.plan, settled.script, replyMs);
  return {
    kind: 'chat-load/plan',
    schemaVersion: 1,
    toolVersion,
    plan: settled.plan,
    forecast: forecasted,
    replyMs,
    replySource: asked !== undefined ? 'flag' : settled.embedded !== undefined ? 'embedded' : 'guess',
    comparison: foreseeComparison(settled.plan, forecasted),
    cores: coreNeedsOf(forecasted),
    sockets: await foreseeSockets(settled, forecasted),
    preview: Array.from({ length: preview }, (_, index) => previewOf(settled, index + 1)),
  };
}

function previewOf({ script }: Settled, number: number): SessionPreview {
  const session = planSession(script, number);
  return {
    number,
    turns: session.turns,
    variableValues: session.variableValues(1),
    messages: Array.from({ length: session.foreseen }, (_, index) => session.message(index + 1)),
  };
}
