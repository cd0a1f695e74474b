import { isIP } from 'node:net';
import { ChatLoadError } from '../../base/errors.ts';
import type { Ms } from '../../base/time.ts';
import { pathBelow, readScenarioFiles } from '../../edge/disk/read-scenario-files.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { connectionNeeds } from '../../plan/socket-room.ts';
import { coreNeedsOf, sizeFleet } from '../../plan/core-needs.ts';
import { dnsLabel } from '../../plan/digest.ts';
import { forecast, type Forecast } from '../../plan/forecast.ts';
import { variablesOfPlan } from '../../plan/overlay.ts';
import { refusedHost } from '../../plan/host-names.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Plan } from '../../plan/plan.ts';
import { checkShards, maxShardsOf } from '../../plan/shard.ts';
import type { FleetManifest, Place } from '../../report/fleet/manifest.ts';
import { assumedReply } from '../run/check-settled.ts';

/** What the user says of the places, beside the scenario. */
export interface FleetRequest extends Pick<FleetManifest, 'namespace' | 'label' | 'targetPort' | 'resultsClaim'> {
  /** `undefined`: as many as the load wants. */
  shards: number | undefined;
  /** The scenario file, below the folder. */
  file: string;
  folder: string;
  scenarioFrom: 'configmap' | 'image';
  image: string | undefined;
  name: string | undefined;
  secret: string | undefined;
  redis: string | undefined;
  replyMs: Ms | undefined;
}

/** Decides what the places of a fleet are made from; `author` is the object of the scenario file. Throws a usage error where no fleet can play the scenario there. */
export async function fleetManifest(
  settled: Settled,
  author: unknown,
  { file, folder, scenarioFrom, replyMs = assumedReply(settled), ...request }: FleetRequest,
): Promise<FleetManifest> {
  const { plan, script } = settled;
  const forecasted = forecast(plan, script, replyMs);
  const { name = dnsLabel(`chat-load-${plan.name}`), shards = usualShards(plan, forecasted) } = request;
  checkShards(plan, shards);
  const path = pathBelow(file, folder);
  return {
    toolVersion,
    namespace: request.namespace,
    label: request.label,
    targetPort: request.targetPort,
    resultsClaim: request.resultsClaim,
    name,
    shards,
    target: targetOf(settled),
    image: request.image ?? `chat-load:${toolVersion}`,
    secret: request.secret ?? name,
    scenario: {
      name: plan.name,
      path,
      hash: plan.hash,
      files: scenarioFrom === 'image' ? undefined : await readScenarioFiles(file, author, folder),
    },
    environment: variablesOfPlan(plan),
    redis: request.redis === undefined ? undefined : givenRedis(request.redis),
    size: sizeFleet(plan, { forecast: forecasted, needs: connectionNeeds(plan, forecasted), shards }),
  };
}

/** One worker for each core that the load wants. One is no fleet: two, if the load can be dealt to them. */
const usualShards = (plan: Plan, forecasted: Forecast): number =>
  Math.min(maxShardsOf(plan), Math.max(2, coreNeedsOf(forecasted).cores ?? 1));

/** The target as a place; a pod's own loopback is none. */
function targetOf({ plan: { target } }: Settled): Place {
  const isHere = refusedHost({ target, allowHosts: [] }) === undefined;
  if (target.baseUrl !== null && !isHere) return placeOf(new URL(target.baseUrl), { 'http:': 80, 'https:': 443 });
  throw new ChatLoadError('usage', {
    message: `Workers on other machines cannot reach ${target.baseUrl ?? 'the embedded service, which is started on this machine'}.`,
    hint: 'Name a target that every worker reaches: --base-url URL, CHAT_LOAD_BASE_URL, or target.baseUrl in the scenario.',
  });
}

/** A Redis of the user. Its password belongs in the Secret, not in a manifest. */
function givenRedis(text: string): FleetManifest['redis'] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
    throw unusableRedis('--redis takes a URL of Redis or Valkey.', 'Give one such as rediss://redis.example.com:6380.');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw unusableRedis(
      '--redis has a user, a password or options in it, and a manifest is no place for secrets.',
      'Give the URL without them: redis-username and redis-password of the Secret hold them.',
    );
  return { url: text, place: placeOf(url, { 'redis:': 6379, 'rediss:': 6379 }) };
}

const unusableRedis = (message: string, hint: string): ChatLoadError => new ChatLoadError('usage', { message, hint });

function placeOf({ hostname, port, protocol }: URL, ports: Readonly<Record<string, number>>): Place {
  const host = hostname.replace(/^\[|\]$/g, '');
  const version = isIP(host);
  return {
    ip: version === 4 || version === 6 ? version : undefined,
    host,
    port: port === '' ? (ports[protocol] ?? 0) : Number(port),
  };
}
