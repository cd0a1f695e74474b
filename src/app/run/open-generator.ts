import { openDelayProbe } from '../../edge/health/open-delay-probe.ts';
import { watchGenerator, watchIntervals } from '../../edge/health/watch-generator.ts';
import type { Sender, SenderOptions } from '../../edge/http/open-sender.ts';
import type { Access } from '../../plan/resolve-auth.ts';
import type { GeneratorAccount } from '../../result/journal/journal.ts';
import type { GeneratorSample } from '../../result/sections/generator-health.ts';
import type { Traffic } from '../../result/sections/rates.ts';
import { systemClock } from '../../edge/clock.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import type { TlsOptions } from '../../edge/http/connect/secure-options.ts';

/** Generator of a run's load: connections to the target, and the monitoring of this process. */
export type LoadGenerator = ReturnType<typeof openGenerator>;

/** Starts the monitoring of this process while it sends through a sender. */
export function openGenerator(sender: Sender, access?: Access) {
  const [watch, sampling, probe] = [watchGenerator(), watchIntervals(), openDelayProbe()];
  const accountOf = (generator: GeneratorAccount['generator']): GeneratorAccount => ({
    generator,
    samples: sampling.fresh(),
    traffic: trafficOf(sender),
    // The sender does not know the token counts.
    transport: { ...sender.transport(), tokens: access === undefined ? null : { ...access.counts } },
  });
  return {
    sender,
    probe,
    /** Returns the load so far; each sample is returned once. */
    accountNow: () => accountOf({ ...watch.soFar(sender.exhausted), ...probe.figures() }),
    /** Ends the monitoring and closes every connection. Resolves with the samples of the whole run, and the last account. */
    end: async (): Promise<{ samples: readonly GeneratorSample[]; account: GeneratorAccount }> => {
      const generator = { ...watch.end(sender.exhausted), ...probe.figures() };
      const samples = sampling.end();
      await Promise.all([sender.close(), probe.close()]);
      return { samples, account: accountOf(generator) };
    },
  };
}

const trafficOf = ({ traffic, connections }: Sender): Traffic => ({
  sentBytes: traffic.bytesSent,
  receivedBytes: traffic.bytesReceived,
  connectionsOpened: connections.opened,
});

export function senderOptions(baseUrl: URL, resolved: Omit<ResolvedScenario, 'embedded'>): SenderOptions {
  const { plan, script, apiKey, auth, access, secrets, proxy } = resolved;
  const { constant, rendered } = script.headers;
  return {
    // Times and limits have the same names in the plan and in sender options.
    ...plan,
    ...plan.target,
    tls: tlsOptionsOf(resolved),
    baseUrl,
    proxy,
    apiKey,
    redact: (text) => secrets.redact(text),
    authorize: (key) => auth.authorize(key),
    transport: script.protocol.transport,
    listens: script.protocol.listens,
    otherOrigins: script.protocol.otherOrigins,
    signedWith: auth.signedWith,
    ...(auth.kind === 'key'
      ? {}
      : { authorization: auth.isBySession ? {} : auth.authorize(access?.credential ?? apiKey) }),
    headers:
      rendered.length + Object.keys(constant).length === 0
        ? undefined
        : { constant, ofRequests: rendered.map(({ name }) => name) },
    toolVersion,
    clock: systemClock,
  };
}

export function tlsOptionsOf({ plan, tlsFiles }: Pick<ResolvedScenario, 'plan' | 'tlsFiles'>): TlsOptions {
  const { serverName, minVersion, resume, insecure } = plan.target.tls;
  if (tlsFiles === undefined) throw new Error('a scenario with TLS files was resolved without a reader for them');
  const { ca, cert, key, pfx, passphrase } = tlsFiles;
  const files = { ca, cert, key, pfx, passphrase };
  return {
    ...(Object.fromEntries(Object.entries(files).filter(([, value]) => value !== undefined)) as TlsOptions),
    resume,
    rejectUnauthorized: !insecure,
    ...(serverName === null ? {} : { servername: serverName }),
    ...(minVersion === null ? {} : { minVersion }),
  };
}
