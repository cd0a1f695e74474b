import type { Ms } from '../base/time.ts';
import { foreseeComparison } from '../compare/outlook.ts';
import { coreNeedsOf } from '../plan/core-needs.ts';
import { forecast } from '../plan/forecast.ts';
import type { Plan } from '../plan/plan.ts';
import { planSession } from '../plan/session-plan.ts';
import type { ResolvedScenario } from '../plan/resolve-scenario.ts';
import type { ChatRequest } from '../protocol/protocol.ts';
import { shortGates } from '../result/gates/feasible-gates.ts';
import { toolVersion } from '../edge/tool-version.ts';
import type { PlanView, SessionPreview } from '../report/plan/plan-document.ts';
import { assumedReply, foreseeSockets, replySource } from './run/check-resolved.ts';

interface PlanRequest {
  /** Assumed reply time. Default: the assumption of a run. */
  replyMs?: Ms | undefined;
  preview?: number | undefined;
}

export async function viewPlan(
  resolved: ResolvedScenario,
  { replyMs: given, preview = 2 }: PlanRequest = {},
): Promise<PlanView> {
  const replyMs = given ?? assumedReply(resolved);
  const forecasted = forecast(resolved.plan, resolved.script, replyMs);
  return {
    kind: 'chat-load/plan',
    schemaVersion: 1,
    toolVersion,
    plan: resolved.plan,
    start: resolved.start === undefined ? null : [...resolved.start.command],
    forecast: forecasted,
    replyMs,
    replySource: given === undefined ? replySource(resolved) : 'flag',
    routes: routesOf(resolved),
    shortGates: shortGates(resolved.plan, forecasted),
    comparison: foreseeComparison(resolved.plan, forecasted),
    cores: coreNeedsOf(forecasted),
    sockets: await foreseeSockets(resolved, forecasted),
    preview: Array.from({ length: Math.min(preview, sessionsOf(resolved.plan)) }, (_, index) =>
      previewOf(resolved, index + 1),
    ),
  };
}

/** Returns the number of sessions that the plan has at most; `Infinity`: its duration decides. */
function sessionsOf({ sessions, load }: Plan): number {
  const traced = load.model === 'open' ? load.trace?.sessions : undefined;
  return Math.min(sessions ?? Infinity, traced ?? Infinity);
}

/** Returns the routes of requests, such as `POST /v1/chat/completions`. */
function routesOf({ plan, script }: ResolvedScenario): PlanView['routes'] {
  const api = script.protocol.open({ ...plan.target, instructions: script.instructions });
  const routeText = ({ route: { method, path } }: ChatRequest): string => `${method} ${path}`;
  const sample = { message: '', variableValues: '', session: 1, turn: 1 };
  return {
    creation: api.creation === undefined ? null : routeText(api.creation.request),
    message: routeText(api.converse('SESSION').request(sample)),
  };
}

function previewOf({ script }: ResolvedScenario, number: number): SessionPreview {
  const session = planSession(script, number);
  return {
    number,
    turns: session.turns,
    variableValues: session.variableValues(1),
    messages: Array.from({ length: session.foreseen }, (_, index) => session.message(index + 1)),
  };
}
