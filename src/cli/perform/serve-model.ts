import { once } from 'node:events';
import { usageError } from '../../base/errors.ts';
import { machineClock } from '../../edge/clock.ts';
import { isLoopbackHost } from '../../edge/small-server.ts';
import { modelAddressLines, modelOrigin } from '../../plan/model-address.ts';
import { openModelService, type ModelServiceParts } from '../../reference-service/model/model-service.ts';
import { resolveModel } from '../../reference-service/resolve-service.ts';
import type { Duration } from '../../scenario/duration.ts';
import { stderr, stdout } from '../console/terminal.ts';

/** Flags that only concern the scripted agent. */
const agentFlags = ['rate-limit', 'completions-url', 'completions-model', 'tls-cert', 'tls-key'] as const;

/** Flags of the command that concern the model service, and those that do not apply to it. */
interface ServeFlags extends Partial<Record<(typeof agentFlags)[number], unknown>> {
  host: string;
  port: number | undefined;
  config: string | undefined;
  latency: string | undefined;
  capacity: number | undefined;
  seed: number | undefined;
  'allow-host': readonly string[] | undefined;
}

/** A standalone service has no run to attribute its calls to. */
const unobserved: ModelServiceParts['observer'] = {
  callStarted: () => undefined,
  callEnded: () => undefined,
  otherRequest: () => undefined,
  connectionOpened: () => undefined,
};

/** Runs the model service until a signal ends it. */
export async function serveModel(args: ServeFlags): Promise<void> {
  refuseAgentFlags(args);
  const { latency, capacity, seed, port, host } = args;
  const options = await resolveModel(args.config, {
    // The schema validates the duration.
    ...(latency === undefined ? {} : { latency: latency as Duration }),
    ...(capacity === undefined ? {} : { capacity }),
    ...(seed === undefined ? {} : { seed }),
    ...(port === undefined ? {} : { port }),
    // The default of --host does not replace the host of a file.
    ...(isLoopbackHost(host) && args.config !== undefined ? {} : { host }),
  });
  const service = await openModelService(options, {
    clock: machineClock,
    observer: unobserved,
    allowHosts: args['allow-host'],
    listenHint: 'Use another port with --port (0 selects a free port), or another --host.',
  });
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  stdout.note(`chat-load model  ${modelOrigin(service)}`);
  for (const line of modelAddressLines(service)) stdout.note(line);
  if (!isLoopbackHost(service.host)) stderr.line('Anyone who can reach this port can use the service.');
  await stopped;
  await service.close();
}

function refuseAgentFlags(args: ServeFlags): void {
  const given = agentFlags.find((name) => args[name] !== undefined);
  if (given === undefined) return;
  throw usageError(
    `--${given} does not apply to --as model.`,
    given === 'rate-limit'
      ? 'Set limits in the file of --config: { "limits": { "requestsPerMinute": 60 } }.'
      : `Omit --${given}; docs/reference/model-service.md lists the options.`,
  );
}
