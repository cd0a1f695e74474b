import { makeFolder, writeScenario, type Ended } from './command.ts';
import { openGossiping, type GossipingService } from './gossiping-service.ts';
import { artefactsOf, findLeaks, formsOf } from './leaks.ts';
import type { SecretCase } from './secret-cases.ts';

/** A scenario that contains a secret, and the service that receives it. */
export interface PreparedSecret {
  folder: string;
  /** The scenario, as source text. */
  text: string;
  /** Arguments that follow the command. */
  aim: string[];
  env: Record<string, string>;
  service: GossipingService;
}

const scenario = (target: string): string => `{
  name: 'gossip', sessions: 6, turns: 4, load: { concurrency: 2 }, onFailedTurn: 'continue',
  retry: { maxAttempts: 2, base: '1ms', cap: '1ms' },
  data: { users: [{ token: 'user-a' }, { token: 'user-b' }] },
  messages: ['Hi'], target: { agentId: 'a', ${target} },
  stopWhen: { noSuccess: false },
}`;

let count = 0;

/** Another one for each test: a process never forgets one. What a header can carry, with what texts escape. */
export function newSecret(): string {
  return `s3cr3t-${String(++count)}+/y%41&x.7391-opaque`;
}

/** For one test. */
export async function prepareSecret(
  { target, flags, environment, service: wanted }: SecretCase,
  secret: string,
): Promise<PreparedSecret> {
  const folder = await makeFolder();
  const service = await openGossiping(wanted?.(secret));
  const { baseUrl } = service;
  const text = scenario(target?.(secret, baseUrl) ?? '');
  await writeScenario(folder, text);
  return {
    folder,
    text,
    aim: ['scenario.mjs', '--base-url', baseUrl, ...((await flags?.(secret, baseUrl)) ?? [])],
    env: { CHAT_LOAD_API_KEY: 'an-ordinary-key', ...environment?.(secret) },
    service,
  };
}

/** Lists the outputs of a command that contain it; the scenario is omitted, because it defines the secret. */
export async function findSecret(
  { folder }: Pick<PreparedSecret, 'folder'>,
  ended: readonly Ended[],
  { also, secret }: Pick<SecretCase, 'also'> & { secret: string },
): Promise<string[]> {
  const left = { ...(await artefactsOf(folder, ended)), 'scenario.mjs': '' };
  return findLeaks(left, [secret, ...(also?.(secret) ?? [])].flatMap(formsOf));
}
