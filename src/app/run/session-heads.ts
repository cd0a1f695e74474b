import type { CookieJars } from '../../edge/http/request/cookie-jars.ts';
import { traceParents } from '../../edge/http/request/trace-parents.ts';
import type { PosterOptions } from '../../edge/http/open-poster.ts';
import { planSession } from '../../plan/session-plan.ts';
import type { Settled } from '../../plan/settle.ts';
import { SessionHead, type HeadSources } from '../../session/session-head.ts';

interface Heads {
  sources: HeadSources;
  /** `undefined`: no cookies are kept. */
  jars: CookieJars | undefined;
}

/** Opens the sources of the header fields that differ from session to session. */
export async function openHeads({ plan, secrets }: Pick<Settled, 'plan' | 'secrets'>): Promise<Heads> {
  const keepSecret = (secret: string): void => secrets.pass(secret);
  const jars = plan.target.cookies ? await openJars(plan.target.baseUrl, keepSecret) : undefined;
  const newTrace = plan.target.trace ? traceParents() : undefined;
  return { sources: { newJar: jars && (() => jars.newJar()), newTrace, keepSecret }, jars };
}

/** Header fields of single exchanges: those of the first session of the scenario, in its first turn; one jar for all. */
export async function posterHead(settled: Settled): Promise<PosterOptions['head']> {
  const { sources } = await openHeads(settled);
  const head = new SessionHead(planSession(settled.script, 1), sources);
  return (operation, send) => {
    head.beginTurn(operation === 'create' ? 0 : 1);
    return head.beginAttempt(send);
  };
}

/** The library behind them takes a while to load, and runs without cookies do not need it. */
async function openJars(baseUrl: string | null, keepSecret: (secret: string) => void): Promise<CookieJars> {
  const { openCookieJars } = await import('../../edge/http/request/cookie-jars.ts');
  // The embedded service is one host, whichever: cookies see no more of it.
  return openCookieJars(new URL(baseUrl ?? 'http://127.0.0.1'), keepSecret);
}
