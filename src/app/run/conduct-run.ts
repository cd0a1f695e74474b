import type { Clock } from '../../base/time.ts';
import type { Sender } from '../../edge/http/sender/sender-options.ts';
import type { Settled } from '../../plan/settle.ts';
import { droppedCookiesWarning } from '../../result/sections/warning.ts';
import { run, type RunOutcome } from '../../run.ts';
import type { RunEffects } from '../../run-effects.ts';
import type { Stops } from './ports.ts';
import type { CookieJars } from '../../edge/http/request/cookie-jars.ts';
import { traceParents } from '../../edge/http/request/trace-parents.ts';
import type { PosterOptions } from '../../edge/http/open-poster.ts';
import { planSession } from '../../plan/session-plan.ts';
import { SessionHead, type HeadSources } from '../../session/session-head.ts';

/** Effects that a run is conducted with. */
interface Conducting extends Pick<RunEffects, 'warn' | 'watch' | 'journal' | 'strayFailed' | 'part' | 'halt'> {
  sender: Pick<Sender, 'send' | 'cut'> & Partial<Pick<Sender, 'authorize'>>;
  clock: Clock;
  stops: Pick<Stops, 'drain' | 'cut'>;
}

/** Runs a resolved scenario through a sender; secrets are redacted in all records. */
export async function conductRun(settled: Settled, { sender, stops, ...effects }: Conducting): Promise<RunOutcome> {
  const { plan, script, secrets, access } = settled;
  const { sources, jars } = await openHeads(settled);
  const unfollow = access?.follow((fields) => sender.authorize?.(fields));
  const outcome = await run(plan, script, {
    ...effects,
    access,
    protocol: script.protocol,
    send: sender.send,
    heads: sources,
    abortExchanges: () => sender.cut(),
    drain: stops.drain,
    cut: stops.cut,
    redact: (text) => secrets.redact(text),
  }).finally(unfollow);
  if (jars === undefined || jars.dropped === 0) return outcome;
  const warning = droppedCookiesWarning(jars.dropped);
  effects.journal?.warn?.(warning);
  effects.warn?.(warning);
  return { ...outcome, warnings: [...outcome.warnings, warning] };
}

interface Heads {
  sources: HeadSources;
  /** Set only if cookies are kept. */
  jars: CookieJars | undefined;
}

/** Opens the sources of per-session header fields. */
async function openHeads({ plan, secrets }: Pick<Settled, 'plan' | 'secrets'>): Promise<Heads> {
  const keepSecret = (secret: string): void => secrets.pass(secret);
  const jars = plan.target.cookies ? await openJars(plan.target.baseUrl, keepSecret) : undefined;
  const newTrace = plan.target.trace ? traceParents() : undefined;
  return { sources: { newJar: jars && (() => jars.newJar()), newTrace, keepSecret }, jars };
}

/** Returns the header fields of single exchanges: those of the first turn of the first session, with one cookie jar for all. */
export async function posterHead(settled: Settled): Promise<PosterOptions['head']> {
  const { sources } = await openHeads(settled);
  const head = new SessionHead(planSession(settled.script, 1), sources);
  return (operation, send) => {
    head.beginTurn(operation === 'create' ? 0 : 1);
    return head.beginAttempt(send);
  };
}

/** Opens cookie jars, whose library is loaded on demand because that takes a while. */
async function openJars(baseUrl: string | null, keepSecret: (secret: string) => void): Promise<CookieJars> {
  const { openCookieJars } = await import('../../edge/http/request/cookie-jars.ts');
  // The embedded service is one host; cookies need no more of its address.
  return openCookieJars(new URL(baseUrl ?? 'http://127.0.0.1'), keepSecret);
}
