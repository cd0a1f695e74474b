import { maskQuery } from '../base/header-field.ts';
import { formatCount } from '../base/format.ts';
import { isFailure, traitsOf, type AttemptClass, type FailedClass } from '../protocol/outcome.ts';
import { operations, type Operation, type Route } from '../protocol/protocol.ts';
import type { RunStop } from '../schedule/stop/stop-controller.ts';
import { isRefusal } from './retry.ts';
import type { SessionOrigin } from './observer.ts';
import type { OperationEnd, OperationPlan } from './operation.ts';
import type { Exchange } from './send.ts';
import type { SessionContext, UnfitTarget } from './session-context.ts';

type TargetFitness = Pick<SessionContext, 'plan' | 'policies' | 'fitness' | 'leaveUnfit'>;

/** Reports a failed operation until it is known whether the target is fit; ends the run when it is not. */
export function judgeFitness(
  context: TargetFitness,
  { operation, session, request }: Pick<OperationPlan, 'operation' | 'session' | 'request'>,
  { end: { outcome, detail }, exchange }: { end: OperationEnd; exchange: Exchange },
): void {
  const fitness = context.fitness[operation];
  if (fitness.isKnown || !isFailure(outcome)) return;
  if (!isIncurable(context, { session, outcome, status: exchange.status })) return fitness.isFit();
  const unusable = fitness.failed(
    outcome,
    () => `${describeRequest(context, request.route)} -> ${describeAnswer(exchange, outcome, detail)}`,
  );
  if (unusable !== undefined) context.leaveUnfit({ operation, ...unusable });
}

/** Reports an ok reply without text and tool calls until it is known whether the target is fit; ends the run when it is not. */
export function judgeEmpty(
  context: TargetFitness,
  { operation, request }: Pick<OperationPlan, 'operation' | 'request'>,
  exchange: Exchange,
): void {
  const unusable = context.fitness[operation].failed(
    'ok',
    () => `${describeRequest(context, request.route)} -> ${describeAnswer(exchange, 'ok', '')}: ${emptyText}`,
  );
  if (unusable !== undefined) context.leaveUnfit({ operation, ...unusable });
}

const emptyText = 'the reply has neither text nor a tool call';

/** Judges a run at its end if it had too few operations to be stopped earlier. */
export function concludeFitness(context: TargetFitness): void {
  for (const operation of operations) {
    const unusable = context.fitness[operation].conclude();
    if (unusable !== undefined) context.leaveUnfit({ operation, ...unusable });
  }
}

/** Reports whether neither a retry nor waiting cures a failure. */
function isIncurable(
  { policies }: TargetFitness,
  { session, outcome, status }: { session: SessionOrigin; outcome: FailedClass; status: number },
): boolean {
  // A refusal after work that nobody awaited may pass with that work.
  if (passing.includes(status) || session.unfinished !== undefined) return false;
  if (traitsOf(outcome).group === 'integrity')
    return policies[session.policy]?.policy.classes.includes(outcome) !== true;
  return isRefusal(policies, session, outcome);
}

/** Statuses below 500 that pass: request timeout, conflict, locked, too early, too many requests. */
const passing = [408, 409, 423, 425, 429];

/** Returns the stop of a run whose target is unusable. */
export function unusableStop(found: UnfitTarget): Extract<RunStop, { kind: 'target_unfit' | 'checks_failed' }> {
  const { operation, outcome, count, first } = found;
  const none = `none of the first ${formatCount(count)} ${wordsOf[operation]}`;
  if (outcome === 'check_failed')
    return { kind: 'checks_failed', why: `${none} that passes the checks. The first: ${first}` };
  if (outcome === 'ok')
    return { kind: 'target_unfit', operation, outcome, why: `${none} that is not empty. The first: ${first}` };
  return { kind: 'target_unfit', operation, outcome, why: `${none}, and retrying cannot help. The first: ${first}` };
}

const wordsOf: Readonly<Record<Operation, string>> = {
  create: 'sessions could be created',
  message: 'messages got an ok reply',
};

function describeRequest({ plan: { target } }: TargetFitness, { method, path }: Route): string {
  return `${method} ${target.baseUrl === null ? '' : target.baseUrl.replace(/\/+$/, '')}${maskQuery(path)}`;
}

function describeAnswer({ status, contentType, location }: Exchange, outcome: AttemptClass, detail: string): string {
  const type = contentType === undefined ? '' : ` ${contentType}`;
  const to = location === undefined ? '' : `, Location: ${location}`;
  const known = `status ${String(status)}`;
  const suffix = detail === known ? '' : detail.replace(new RegExp(`^${known}[,:]`), ':').replace(/^(?!:)/, ': ');
  return `${String(status)}${type}${to} (${outcome})${suffix}`;
}
