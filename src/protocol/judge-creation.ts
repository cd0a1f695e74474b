import { valueAt } from '../base/is-object.ts';
import type { Reply } from './protocol.ts';
import { describeFound } from './describe-found.ts';

type Body = Readonly<Record<string, unknown>>;

/** Returns the judge of creations: the session id is at a dotted path. */
export function judgeCreation(sessionIdFrom: string): (body: Body) => { reply: Reply } | { broken: string } {
  const path = sessionIdFrom.split('.');
  return (body) => {
    const id = valueAt(body, path);
    if (typeof id === 'string' && id !== '') return { reply: { text: '', id, data: body['data'] } };
    return { broken: `no session id at ${sessionIdFrom}: ${describeFound(body, path)}` };
  };
}
