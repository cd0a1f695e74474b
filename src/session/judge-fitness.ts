import { formatCount } from '../base/format.ts';
import { isBrokenOff, type AttemptClass } from '../protocol/outcome.ts';
import { isRefusal } from './is-refusal.ts';
import type { AttemptRecord } from './observer.ts';
import type { Exchange } from './send.ts';
import type { Operation, Route } from '../protocol/protocol.ts';
import type { TargetFitness, UnfitTarget } from './session-context.ts';

/** Reports attempts until it is known whether the target is fit; ends the run when it is not. */
export function judgeFitness(
  context: TargetFitness,
  { operation, session, outcome, detail, exchange }: AttemptRecord,
  route: Route,
): void {
  const fitness = context.fitness[operation];
  if (isBrokenOff(outcome)) return;
  if (!isRefusal(context.policies, session, outcome)) return fitness.isFit();
  const unfit = fitness.failed(
    exchange,
    () => `${wordRequest(context, route)} -> ${wordAnswer(exchange, outcome, detail)}`,
  );
  if (unfit === undefined) return;
  context.leaveUnfit({ operation, outcome, ...unfit });
}

/** Why a target is unfit. */
export function wordUnfit({ operation, count, first }: UnfitTarget): string {
  return `none of the first ${formatCount(count)} ${wordsOf[operation]}, and retrying cannot help. The first: ${first}`;
}

const wordsOf: Readonly<Record<Operation, string>> = {
  create: 'sessions could be created',
  message: 'messages got an ok reply',
};

function wordRequest({ plan: { target } }: TargetFitness, { method, path }: Route): string {
  return `${method} ${target.baseUrl === null ? '' : target.baseUrl.replace(/\/+$/, '')}${path}`;
}

function wordAnswer({ status, contentType, location }: Exchange, outcome: AttemptClass, detail: string): string {
  const type = contentType === undefined ? '' : ` ${contentType}`;
  const to = location === undefined ? '' : `, Location: ${location}`;
  const isTold = detail === `status ${String(status)}`;
  return `${String(status)}${type}${to} (${outcome})${isTold ? '' : `: ${detail}`}`;
}
