import { once } from 'node:events';
import { readTlsIdentity, resolveService } from '../../reference-service/resolve-service.ts';
import { usageError } from '../../base/errors.ts';
import { isLoopbackHost } from '../../edge/small-server.ts';
import { startService, type ServiceAddress } from '../../reference-service/start.ts';
import type { Duration } from '../../scenario/duration.ts';
import { embeddedDefaults, type ResolvedEmbedded } from '../../scenario/embedded.ts';
import { stderr, stdout } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';

export type ServeArguments = Given<'serve'>;

export async function serve(args: ServeArguments): Promise<void> {
  if (args['allow-host'] !== undefined)
    throw usageError('--allow-host is for --as model, which forwards calls.', 'Omit --allow-host, or add --as model.');
  const { latency, capacity, seed, 'rate-limit': rateLimit } = args;
  const options = await resolveService(args.config, {
    // The schema validates the duration.
    ...(latency === undefined ? {} : { latency: latency as Duration }),
    ...(capacity === undefined ? {} : { capacity }),
    ...(rateLimit === undefined ? {} : { rateLimit: { perSecond: rateLimit } }),
    ...(seed === undefined ? {} : { seed }),
  });
  const service = await startService(options, await addressOf(args));
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  stdout.note(`chat-load service  ${service.baseUrl}  agent ${options.agents[0]?.id ?? ''}  key ${showKey(options)}`);
  if (!isLoopbackHost(args.host))
    stderr.line('Anyone who can reach this port can use the service. /stats and /ledger reply only to this machine.');
  await stopped;
  await service.close();
}

async function addressOf({ host, port = 4010, ...args }: Given<'serve'>): Promise<ServiceAddress> {
  const { 'completions-url': url, 'completions-model': model, 'tls-cert': cert, 'tls-key': key } = args;
  const apiKey = process.env['CHAT_LOAD_COMPLETIONS_KEY'];
  return {
    host,
    port,
    ...(cert !== undefined && key !== undefined && { tls: await readTlsIdentity({ cert, key }) }),
    ...(url !== undefined && model !== undefined && { completions: { url, model, apiKey } }),
  };
}

/** Returns the key to show: the built-in one, which is not secret; keys of a file are hidden. */
function showKey({ keys }: ResolvedEmbedded): string {
  const key = keys[0]?.key ?? '';
  return key === embeddedDefaults.apiKey ? key : '(the first of the config file)';
}
