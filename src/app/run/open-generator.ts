import { watchGenerator, watchIntervals } from '../../edge/health/watch-generator.ts';
import { openSender, type Sender, type SenderOptions } from '../../edge/http/open-sender.ts';
import type { Access } from '../../plan/settle-auth.ts';
import type { GeneratorAccount } from '../../result/journal/journal.ts';
import type { GeneratorSample } from '../../result/sections/generator-health.ts';
import type { Traffic } from '../../result/sections/rates.ts';
import type { Transport } from '../../result/sections/transport.ts';

/** What generates the load of a run: connections to the target, and the watches on this process. */
export interface LoadGenerator {
  sender: Sender;
  /** The load so far; each sample is given once. */
  accountNow(): GeneratorAccount;
  /** Ends the watches and closes every connection; nothing of it is left in the process. */
  end(): Promise<EndedGenerator>;
}

interface EndedGenerator {
  /** The samples of the whole run. */
  samples: readonly GeneratorSample[];
  /** The last account. */
  account: GeneratorAccount & { traffic: Traffic };
}

/** Opens the generator of a run and begins to watch it. Throws what `openSender` throws. */
export function openGenerator(options: SenderOptions, access?: Access): LoadGenerator {
  return watchSender(openSender(options), access);
}

/** The same with a sender that is open already. */
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

/** The sender knows nothing of where tokens come from. */
const transportOf = (sender: Sender, access: Access | undefined): Transport => ({
  ...sender.transport(),
  tokens: access === undefined ? null : { ...access.counts },
});

const trafficOf = ({ traffic, connections }: Sender): Traffic => ({
  sentBytes: traffic.bytesSent,
  receivedBytes: traffic.bytesReceived,
  connectionsOpened: connections.opened,
});
