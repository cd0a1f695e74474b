import type { Ms } from '../base/time.ts';
import { foreseeComparison } from '../compare/outlook.ts';
import { coreNeedsOf } from '../plan/core-needs.ts';
import { forecast } from '../plan/forecast.ts';
import { planSession } from '../plan/session-plan.ts';
import type { Settled } from '../plan/settle.ts';
import type { ChatRequest } from '../protocol/protocol.ts';
import { shortGates } from '../result/gates/feasible-gates.ts';
import { toolVersion } from '../edge/tool-version.ts';
import type { PlanView, SessionPreview } from '../report/plan/plan-document.ts';
import { assumedReply, foreseeSockets } from './run/check-settled.ts';

interface PlanRequest {
  /** Assumed reply time. Default: the assumption of a run. */
  replyMs?: Ms | undefined;
  preview?: number | undefined;
}

export async function viewPlan(settled: Settled, { replyMs: given, preview = 2 }: PlanRequest = {}): Promise<PlanView> {
  const replyMs = given ?? assumedReply(settled);
  const forecasted = forecast(settled.plan, settled.script, replyMs);
  return {
    kind: 'chat-load/plan',
    schemaVersion: 1,
    toolVersion,
    plan: settled.plan,
    forecast: forecasted,
    replyMs,
    replySource: given !== undefined ? 'flag' : settled.embedded !== undefined ? 'embedded' : 'guess',
    routes: routesOf(settled),
    shortGates: shortGates(settled.plan, forecasted),
    comparison: foreseeComparison(settled.plan, forecasted),
    cores: coreNeedsOf(forecasted),
    sockets: await foreseeSockets(settled, forecasted),
    preview: Array.from({ length: preview }, (_, index) => previewOf(settled, index + 1)),
  };
}

/** Returns the routes of requests, such as `POST /v1/chat/completions`. */
function routesOf({ plan, script }: Settled): PlanView['routes'] {
  const api = script.protocol.open({ ...plan.target, instructions: script.instructions });
  const routeText = ({ route: { method, path } }: ChatRequest): string => `${method} ${path}`;
  const sample = { message: '', variableValues: '', session: 1, turn: 1 };
  return {
    creation: api.creation === undefined ? null : routeText(api.creation.request),
    message: routeText(api.converse('SESSION').request(sample)),
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
