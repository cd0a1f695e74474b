import { once } from 'node:events';
import { usageError } from '../../base/errors.ts';
import { machineClock } from '../../edge/clock.ts';
import { isLoopbackHost, reachableHost } from '../../edge/small-server.ts';
import type { ModelObserver } from '../../reference-service/model/model-observer.ts';
import { openModelService } from '../../reference-service/model/model-service.ts';
import { settleModel } from '../../reference-service/settle-service.ts';
import type { Duration } from '../../scenario/duration.ts';
import { stderr, stdout } from '../console/terminal.ts';
import type { ServeArguments } from './serve.ts';

/** Flags that only concern the scripted agent. */
const agentFlags = ['rate-limit', 'completions-url', 'completions-model', 'tls-cert', 'tls-key'] as const;

/** A standalone service has no run to attribute its calls to. */
const unobserved: ModelObserver = {
  callStarted: () => undefined,
  callEnded: () => undefined,
  otherRequest: () => undefined,
  connectionOpened: () => undefined,
};

/** Runs the model service until a signal ends it. */
export async function serveModel(args: ServeArguments): Promise<void> {
  refuseAgentFlags(args);
  const { latency, capacity, seed, port, host } = args;
  const options = await settleModel(args.config, {
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
  for (const line of modelAddressLines(service)) stdout.note(line);
  if (!isLoopbackHost(service.host)) stderr.line('Anyone who can reach this port can use the service.');
  await stopped;
  await service.close();
}

/** Returns the lines that explain how an agent is pointed at a model service. */
export function modelAddressLines({ host, port }: { host: string; port: number }): string[] {
  const baseUrl = `http://${reachableHost(host)}:${String(port)}`;
  const container = `http://host.docker.internal:${String(port)}/v1`;
  return [
    `chat-load model  ${baseUrl}`,
    `export OPENAI_BASE_URL=${baseUrl}/v1`,
    `export ANTHROPIC_BASE_URL=${baseUrl}`,
    isLoopbackHost(host) ? `in containers: ${container} (requires host 0.0.0.0)` : `in containers: ${container}`,
  ];
}

function refuseAgentFlags(args: ServeArguments): void {
  const given = agentFlags.find((name) => args[name] !== undefined) ?? (args.cores === '1' ? undefined : 'cores');
  if (given === undefined) return;
  throw usageError(
    `--${given} does not apply to --as model.`,
    given === 'rate-limit'
      ? 'Set limits in the file of --config: { "limits": { "requestsPerMinute": 60 } }.'
      : `Omit --${given}; docs/reference/model-service.md lists the options.`,
  );
}
