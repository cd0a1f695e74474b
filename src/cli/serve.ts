import { once } from 'node:events';
import { readTlsIdentity, settleService } from '../edge/target/settle-service.ts';
import { isLoopbackHost } from '../edge/small-server.ts';
import type { ServiceAddress } from '../edge/target/start.ts';
import type { Duration } from '../scenario/duration.ts';
import { embeddedDefaults, type EmbeddedOptions, type SettledEmbedded } from '../scenario/embedded.ts';
import type { Command } from './command.ts';
import { readCores } from './read-cores.ts';
import { stderr, stdout } from './terminal.ts';

interface ServeArguments {
  port: number;
  host: string;
  cores: string;
  config?: string | undefined;
  latency?: string | undefined;
  capacity?: number | undefined;
  rateLimit?: number | undefined;
  seed?: number | undefined;
  completionsUrl?: string | undefined;
  completionsModel?: string | undefined;
  tlsCert?: string | undefined;
  tlsKey?: string | undefined;
}

export const serveCommand: Command<ServeArguments> = {
  builder: (yargs) =>
    yargs
      .option('port', { type: 'number', default: 4010, requiresArg: true, describe: 'The port; 0 picks a free one' })
      .option('host', { type: 'string', default: '127.0.0.1', requiresArg: true, describe: 'The address to listen on' })
      .option('cores', {
        type: 'string',
        default: '1',
        requiresArg: true,
        describe:
          'Processes, 1 to 64, or auto: one per core. Sessions, maxSessions and maxStoredCharacters are dealt out. With ' +
          'capacity, a rate limit, sabotage or faults by every or first, one process has all sessions, and the others ' +
          'share its HTTP',
      })
      .option('config', {
        type: 'string',
        requiresArg: true,
        describe: 'A JSON file with the fields of `embedded` in a scenario; flags override it',
      })
      .option('latency', { type: 'string', requiresArg: true, describe: 'How long a reply takes, such as 200ms' })
      .option('capacity', { type: 'number', requiresArg: true, describe: 'Replies at once; the others queue' })
      .option('rate-limit', {
        type: 'number',
        requiresArg: true,
        describe: 'Exchanges per second and key; 429 beyond it',
      })
      .option('seed', { type: 'number', requiresArg: true, describe: 'Picks latencies and faults' })
      .option('completions-url', {
        type: 'string',
        requiresArg: true,
        implies: 'completions-model',
        describe: 'Replies from an OpenAI-compatible endpoint, its key in CHAT_LOAD_COMPLETIONS_KEY',
      })
      .option('completions-model', {
        type: 'string',
        requiresArg: true,
        implies: 'completions-url',
        describe: 'The model to ask there',
      })
      .option('tls-cert', {
        type: 'string',
        requiresArg: true,
        implies: 'tls-key',
        describe: 'Certificate (PEM): HTTPS',
      })
      .option('tls-key', { type: 'string', requiresArg: true, implies: 'tls-cert', describe: 'Its private key (PEM)' })
      .example('$0 serve', 'On http://127.0.0.1:4010, with the scripted agent')
      .example('$0 serve --port 0 --latency 800ms --capacity 20', 'A free port; at most 25 replies a second')
      .example('$0 serve --cores auto', 'A process per core, behind one address')
      .example('$0 serve --config service.json', 'Latency distributions, faults, agents and keys from a file')
      .example(
        '$0 serve --completions-url http://gpu/v1 --completions-model qwen3',
        'The same API in front of your own model',
      )
      .epilogue(
        "Besides chat-messaging it speaks OpenAI's chat completions and responses and Anthropic's messages, whole and " +
          'streamed, at /v1/chat/completions, /v1/responses and /v1/messages; the model is the agent.',
      ),
  handler: serve,
};

/** Serves until SIGINT or SIGTERM. */
async function serve(args: ServeArguments): Promise<void> {
  const options = await settleService(args.config, overOf(args));
  const service = await start(options, await addressOf(args), readCores(args.cores));
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), service.failed]);
  stdout.note(`chat-load service  ${service.baseUrl}  agent ${options.agents[0]?.id ?? ''}  key ${showKey(options)}`);
  if (!isLoopbackHost(args.host))
    stderr.line('Anyone who reaches this port can talk to the service. /stats and /ledger answer only this machine.');
  await stopped;
  await service.close();
}

interface ServedHere {
  baseUrl: string;
  /** Rejects when the service ends by itself. */
  failed: Promise<never>;
  close: () => Promise<void>;
}

/** The server is loaded here alone: no other command of this process needs it. */
async function start(options: SettledEmbedded, at: ServiceAddress, cores: number): Promise<ServedHere> {
  if (cores === 1) {
    const { startService } = await import('../edge/target/start.ts');
    return { ...(await startService(options, at)), failed: new Promise<never>(() => undefined) };
  }
  const { startProcesses } = await import('../edge/target/processes/start-processes.ts');
  const service = await startProcesses(options, at, cores);
  if (service.undivided.length > 0)
    stderr.note(`One of the ${String(cores)} processes has all sessions, because of ${service.undivided.join(', ')}.`);
  return service;
}

/** What flags say of the service's behaviour; those that were not given say nothing. */
function overOf({ latency, capacity, rateLimit, seed }: ServeArguments): EmbeddedOptions {
  return {
    // The schema judges whether it is a duration.
    ...(latency === undefined ? {} : { latency: latency as Duration }),
    ...(capacity === undefined ? {} : { capacity }),
    ...(rateLimit === undefined ? {} : { rateLimit: { perSecond: rateLimit } }),
    ...(seed === undefined ? {} : { seed }),
  };
}

async function addressOf({ host, port, tlsCert, tlsKey, ...args }: ServeArguments): Promise<ServiceAddress> {
  const { completionsUrl: url, completionsModel: model } = args;
  const apiKey = process.env['CHAT_LOAD_COMPLETIONS_KEY'];
  return {
    host,
    port,
    ...(tlsCert !== undefined &&
      tlsKey !== undefined && { tls: await readTlsIdentity({ cert: tlsCert, key: tlsKey }) }),
    ...(url !== undefined && model !== undefined && { completions: { url, model, apiKey } }),
  };
}

/** Keys of a file are not shown: only the built-in one, which opens nothing real. */
function showKey({ keys }: SettledEmbedded): string {
  const key = keys[0]?.key ?? '';
  return key === embeddedDefaults.apiKey ? key : '(the first of the config file)';
}
