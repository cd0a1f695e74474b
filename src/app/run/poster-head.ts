import type { PosterHead } from '../../edge/http/open-poster.ts';
import type { OwnHeaders } from '../../edge/http/request/request-head.ts';
import { traceParents } from '../../edge/http/request/trace-parents.ts';
import { planSession } from '../../plan/session-plan.ts';
import type { Settled } from '../../plan/settle.ts';
import type { HeaderFields } from '../../protocol/protocol.ts';
import { openJars } from './sender-options.ts';

/** What the scenario puts into heads, as its first session has it in its first turn; one jar for all exchanges. */
export async function posterHead(
  { plan, script, secrets }: Settled,
  headers: OwnHeaders = { constant: {}, ofRequests: [] },
): Promise<PosterHead> {
  const keepSecret = (secret: string): void => secrets.pass(secret);
  const session = planSession(script, 1);
  const fieldsOf = (turn: number): HeaderFields => {
    const { fields, secrets: found } = session.headers(turn);
    found.forEach(keepSecret);
    return fields;
  };
  const jars = plan.target.cookies ? await openJars(plan.target.baseUrl, keepSecret) : undefined;
  return {
    ...headers,
    fields: { create: fieldsOf(0), message: fieldsOf(1) },
    jar: jars?.newJar(),
    newTrace: plan.target.trace ? traceParents() : undefined,
  };
}
