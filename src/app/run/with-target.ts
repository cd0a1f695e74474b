import { withPackages } from '../../edge/optional-packages.ts';
import type { OpenModel } from '../model/open-model.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import type { Warning } from '../../result/sections/warning.ts';
import { primeGenerator } from './conduct-run.ts';
import { senderOptions } from './open-generator.ts';
import { loadSigner, signaturePackage } from '../../edge/http/sender/sign-requests.ts';
import { loadTransport } from '../../edge/http/open-sender.ts';
import { probeConnection } from '../../edge/http/probe-connection.ts';
import type { SenderOptions } from '../../edge/http/sender/sender-options.ts';
import type { Plan } from '../../plan/plan.ts';
import { ChatLoadError, environmentError } from '../../base/errors.ts';
import { checkHost } from './check-resolved.ts';
import { withAccess } from './with-access.ts';
import { probedWarnings } from './network-warnings.ts';

export interface OpenTarget {
  /** Scenario with the HTTP version and token of the target. */
  resolved: ResolvedScenario;
  baseUrl: URL;
  /** The model service behind the agent. */
  model: OpenModel | undefined;
}

/**
 * Prepares a target for load from this process and calls a function with it: connects once, obtains the token and compiles
 * the code of a turn. Throws `environment` if the target is unreachable; nothing was sent then.
 */
export async function withTarget<Made>(
  resolved: ResolvedScenario,
  { baseUrl, model, warn }: Omit<OpenTarget, 'resolved'> & { warn?: ((warning: Warning) => void) | undefined },
  perform: (target: OpenTarget) => Promise<Made>,
): Promise<Made> {
  const { reached, notes } = await reachTarget(resolved, senderOptions(baseUrl, resolved));
  for (const note of notes) warn?.(note);
  return withAccess(reached, async (opened) => {
    await primeGenerator();
    return perform({ resolved: opened, baseUrl, model });
  });
}

/**
 * Checks that the target is reachable, and returns the scenario with its HTTP version: HTTP/2 if the server supports nothing
 * else. `notes` are warnings to show before the start. Throws the errors of `probeConnection`.
 */
export async function reachTarget(
  resolved: ResolvedScenario,
  options: SenderOptions,
): Promise<{ reached: ResolvedScenario; notes: Warning[] }> {
  await requirePackages(resolved);
  const [probed] = await Promise.all([probeConnection(options), loadTransport(options)]);
  const notes = probedWarnings(probed);
  const { plan } = resolved;
  if (probed.speaks === 'h2' && options.transport === 'websocket') throw environmentError(onlyHttp2, useHttp1);
  if (probed.speaks === 'http/1.1' || plan.target.http2) return { reached: resolved, notes };
  return { reached: { ...resolved, plan: overHttp2(plan) }, notes: [...notes, speaksHttp2] };
}

/** Returns a plan with the HTTP version that the warnings of other processes report. */
export function withReportedHttp<Spoken extends Pick<Plan, 'target'>>(
  plan: Spoken,
  codes: ReadonlySet<string>,
): Spoken {
  return codes.has(speaksHttp2.code) ? overHttp2(plan) : plan;
}

const onlyHttp2 = 'The target supports only HTTP/2, over which chat-load does not open WebSockets.';
const useHttp1 = 'Nothing was sent. Enable HTTP/1.1 on the server, or load it behind its proxy.';

const overHttp2 = <Spoken extends Pick<Plan, 'target'>>(plan: Spoken): Spoken => ({
  ...plan,
  target: { ...plan.target, http2: true },
});

const speaksHttp2: Warning = {
  code: 'http2_alone',
  message: 'The target supports only HTTP/2, which this run uses.',
  remedy: 'Set target.http2 (--http2).',
};

/** Throws a usage error if a package that the target needs is not installed. */
async function requirePackages({ plan, auth, script: { protocol } }: ResolvedScenario): Promise<void> {
  const { name, streamPackage } = protocol;
  if (auth.signedWith !== undefined)
    await withPackages({ need: 'Signatures of AWS require other packages', names: [signaturePackage] }, loadSigner);
  if (!plan.target.stream || streamPackage === undefined) return;
  const needed = { need: `Streamed replies of ${name} require other packages`, names: [streamPackage] };
  await withPackages(needed, () => import(streamPackage) as Promise<unknown>);
}

/** Checks that a target is reachable before a lengthy operation; sends nothing. Throws the errors of `checkHost` and `probeConnection`, prefixed with `whose`. */
export async function requireReachable(resolved: ResolvedScenario, whose?: string): Promise<void> {
  checkHost(resolved);
  const { baseUrl } = resolved.plan.target;
  // An agent that is started for each run does not listen before.
  if (baseUrl === null || resolved.start !== undefined) return;
  try {
    await probeConnection(senderOptions(new URL(baseUrl), resolved));
  } catch (thrown) {
    if (!(thrown instanceof ChatLoadError) || whose === undefined) throw thrown;
    const { code, message, hint } = thrown;
    throw new ChatLoadError(code, { message: `${whose}: ${message}`, hint, cause: thrown });
  }
}
