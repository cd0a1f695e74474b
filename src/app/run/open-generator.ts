import { watchGenerator, watchIntervals } from '../../edge/health/watch-generator.ts';
import { openSender, type Sender, type SenderOptions } from '../../edge/http/open-sender.ts';
import type { Access } from '../../plan/settle-auth.ts';
import type { GeneratorAccount } from '../../result/journal/journal.ts';
import type { GeneratorSample } from '../../result/sections/generator-health.ts';
import type { Traffic } from '../../result/sections/rates.ts';
import type { Transport } from '../../result/sections/transport.ts';
import { systemClock } from '../../edge/clock.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { Settled } from '../../plan/settle.ts';
import type { TlsOptions } from '../../edge/http/connect/secure-options.ts';

/** Generator of a run's load: connections to the target, and the monitoring of this process. */
export interface LoadGenerator {
  sender: Sender;
  /** Returns the load so far; each sample is returned once. */
  accountNow(): GeneratorAccount;
  /** Ends the monitoring and closes every connection. */
  end(): Promise<EndedGenerator>;
}

interface EndedGenerator {
  /** Samples of the whole run. */
  samples: readonly GeneratorSample[];
  /** The last account. */
  account: GeneratorAccount & { traffic: Traffic };
}

/** Opens the generator of a run and starts its monitoring. Throws the errors of `openSender`. */
export function openGenerator(options: SenderOptions, access?: Access): LoadGenerator {
  return watchSender(openSender(options), access);
}

/** Creates a generator from an open sender. */
export function watchSender(sender: Sender, access?: Access): LoadGenerator {
  const [watch, sampling] = [watchGenerator(), watchIntervals()];
  return {
    sender,
    accountNow: () => ({
      generator: watch.soFar(sender.exhausted),
      samples: sampling.fresh(),
      traffic: trafficOf(sender),
      transport: transportOf(sender, access),
    }),
    end: async () => {
      const generator = watch.end(sender.exhausted);
      const samples = sampling.end();
      await sender.close();
      return {
        samples,
        account: {
          generator,
          samples: sampling.fresh(),
          traffic: trafficOf(sender),
          transport: transportOf(sender, access),
        },
      };
    },
  };
}

/** Returns the transport with token counts, which the sender does not know. */
const transportOf = (sender: Sender, access: Access | undefined): Transport => ({
  ...sender.transport(),
  tokens: access === undefined ? null : { ...access.counts },
});

const trafficOf = ({ traffic, connections }: Sender): Traffic => ({
  sentBytes: traffic.bytesSent,
  receivedBytes: traffic.bytesReceived,
  connectionsOpened: connections.opened,
});

/** Returns the scenario's own header fields, if any. */
function ownHeaders({ headers: { constant, rendered } }: Settled['script']): SenderOptions['headers'] {
  const ofRequests = rendered.map(({ name }) => name);
  return ofRequests.length + Object.keys(constant).length === 0 ? undefined : { constant, ofRequests };
}

/** Returns the sender options of a resolved scenario. */
export function senderOptions(baseUrl: URL, settled: Omit<Settled, 'embedded'>): SenderOptions {
  const { plan, script, apiKey, auth, access, secrets, proxy } = settled;
  return {
    // Times and limits have the same names in the plan and in sender options.
    ...plan,
    ...plan.target,
    tls: tlsOptionsOf(settled),
    baseUrl,
    proxy,
    apiKey,
    redact: (text) => secrets.redact(text),
    authorize: (key) => auth.authorize(key),
    ...(auth.kind === 'key'
      ? {}
      : { authorization: auth.isBySession ? {} : auth.authorize(access?.credential ?? apiKey) }),
    headers: ownHeaders(script),
    toolVersion,
    clock: systemClock,
  };
}

/** Returns the TLS options of a resolved scenario's target. */
export function tlsOptionsOf({ plan, tlsFiles }: Pick<Settled, 'plan' | 'tlsFiles'>): TlsOptions {
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
