import { isIP } from 'node:net';
import { type ChatLoadError, usageError } from '../../base/errors.ts';
import type { Ms } from '../../base/time.ts';
import { pathBelow, readScenarioFiles } from '../../edge/disk/read-scenario-files.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { connectionNeeds } from '../../plan/socket-room.ts';
import { coreNeedsOf, sizeFleet } from '../../plan/core-needs.ts';
import { dnsLabel } from '../../plan/digest.ts';
import { forecast, type Forecast } from '../../plan/forecast.ts';
import { variablesOfPlan } from '../../plan/overlay.ts';
import { refusedHost } from '../../plan/host-names.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import type { Plan } from '../../plan/plan.ts';
import { checkShards, maxShardsOf } from '../../plan/shard.ts';
import type { FleetManifest, Endpoint } from '../../report/fleet/manifest.ts';
import { assumedReply } from '../run/check-resolved.ts';

/** Settings of a manifest, named like the flags of the command; the scenario file is below the folder. */
interface FleetRequest extends Pick<FleetManifest, 'namespace' | 'label'> {
  file: string;
  folder: string;
  /** Default: as many as the load needs. */
  shards: number | undefined;
  'scenario-from': 'configmap' | 'image';
  image: string | undefined;
  name: string | undefined;
  secret: string | undefined;
  redis: string | undefined;
  'results-claim': string | undefined;
  'target-port': number | undefined;
  'reply-time': Ms | undefined;
}

/** Builds the content of a manifest; `author` is the object of the scenario file. Throws a usage error if no fleet can run the scenario. */
export async function fleetManifest(
  resolved: ResolvedScenario,
  author: unknown,
  { file, folder, ...request }: FleetRequest,
): Promise<FleetManifest> {
  const { plan, script } = resolved;
  const forecasted = forecast(plan, script, request['reply-time'] ?? assumedReply(resolved));
  const { name = dnsLabel(`chat-load-${plan.name}`), shards = defaultShards(plan, forecasted) } = request;
  checkShards(plan, shards);
  const path = pathBelow(file, folder);
  return {
    toolVersion,
    namespace: request.namespace,
    label: request.label,
    targetPort: request['target-port'],
    resultsClaim: request['results-claim'],
    name,
    shards,
    target: targetOf(resolved),
    image: request.image ?? `chat-load:${toolVersion}`,
    secret: request.secret ?? name,
    scenario: {
      name: plan.name,
      path,
      hash: plan.hash,
      files: request['scenario-from'] === 'image' ? undefined : await readScenarioFiles(file, author, folder),
    },
    environment: variablesOfPlan(plan),
    redis: request.redis === undefined ? undefined : givenRedis(request.redis),
    size: sizeFleet(plan, { forecast: forecasted, needs: connectionNeeds(plan, forecasted), shards }),
  };
}

/** Returns one worker per needed core, but at least two if the load can be divided. */
const defaultShards = (plan: Plan, forecasted: Forecast): number =>
  Math.min(maxShardsOf(plan), Math.max(2, coreNeedsOf(forecasted).cores ?? 1));

/** Returns the address of the target. Throws a usage error for loopback, which a pod cannot reach. */
function targetOf({ plan: { target } }: ResolvedScenario): Endpoint {
  const isHere = refusedHost({ target, allowHosts: [] }) === undefined;
  if (target.baseUrl !== null && !isHere) return placeOf(new URL(target.baseUrl), { 'http:': 80, 'https:': 443 });
  throw usageError(
    `Workers on other machines cannot reach ${target.baseUrl ?? 'the embedded service, which is started on this machine'}.`,
    'Name a target that every worker can reach: --base-url URL, CHAT_LOAD_BASE_URL, or target.baseUrl in the scenario.',
  );
}

/** Reads the URL of an existing Redis, whose password belongs in the Secret. */
function givenRedis(text: string): FleetManifest['redis'] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
    throw unusableRedis('--redis takes a URL of Redis or Valkey.', 'For example rediss://redis.example.com:6380.');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw unusableRedis(
      '--redis contains a user, a password or options, and a manifest must not contain secrets.',
      'Omit them: the Secret contains redis-username and redis-password.',
    );
  return { url: text, place: placeOf(url, { 'redis:': 6379, 'rediss:': 6379 }) };
}

const unusableRedis = (message: string, hint: string): ChatLoadError => usageError(message, hint);

function placeOf({ hostname, port, protocol }: URL, ports: Readonly<Record<string, number>>): Endpoint {
  const host = hostname.replace(/^\[|\]$/g, '');
  const version = isIP(host);
  return {
    ip: version === 4 || version === 6 ? version : undefined,
    host,
    port: port === '' ? (ports[protocol] ?? 0) : Number(port),
  };
}
