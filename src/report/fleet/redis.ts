import type { Fields, FleetManifest, Resource, Endpoint } from './manifest.ts';
import { fromSecret, podTemplate, labelsOf, metadataOf, redisPort } from './pod.ts';

/** User of the image. */
const redisUser = 999;
const memoryMiB = 512;

/** Builds a Redis for the fleet, without persistence; none if the user provides one. */
export function ownRedis(manifest: FleetManifest): Resource[] {
  if (manifest.redis !== undefined) return [];
  const { name } = manifest;
  const selector = labelsOf(name, 'redis');
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadataOf(manifest, '-redis', 'redis'),
      spec: {
        replicas: 1,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: selector },
        template: podTemplate(manifest, {
          component: 'redis',
          uid: redisUser,
          container: container(manifest),
          volumes: [{ name: 'data', emptyDir: { sizeLimit: '64Mi' } }],
        }),
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadataOf(manifest, '-redis', 'redis'),
      spec: { selector, ports: [{ name: 'redis', port: redisPort, targetPort: redisPort, protocol: 'TCP' }] },
    },
  ];
}

const container = ({ secret }: FleetManifest): Fields => ({
  image: 'redis:7.4-alpine',
  command: ['redis-server'],
  // BullMQ needs noeviction: a broker that drops keys drops shards.
  args: [
    ...['--save', '', '--appendonly', 'no'],
    ...['--maxmemory', `${String(memoryMiB - 128)}mb`, '--maxmemory-policy', 'noeviction'],
    ...['--requirepass', '$(REDIS_PASSWORD)'],
  ],
  env: [fromSecret(secret, 'REDIS_PASSWORD', 'redis-password')],
  ports: [{ name: 'redis', containerPort: redisPort, protocol: 'TCP' }],
  readinessProbe: { tcpSocket: { port: redisPort }, periodSeconds: 2 },
  resources: {
    requests: { cpu: '250m', memory: `${String(memoryMiB)}Mi` },
    limits: { cpu: '1', memory: `${String(memoryMiB)}Mi` },
  },
  volumeMounts: [{ name: 'data', mountPath: '/data' }],
});

/** Builds network policies: workers and coordinator may reach DNS, Redis and the target only; only they may reach Redis. */
export function networkPolicies(manifest: FleetManifest): Resource[] {
  return [players(manifest), ...redisPolicy(manifest)];
}

function players(manifest: FleetManifest): Resource {
  const { name, redis, target, targetPort } = manifest;
  const toRedis =
    redis === undefined ? { to: [{ podSelector: redisOf(name) }], ports: [tcp(redisPort)] } : toEndpoint(redis.place);
  return policy(manifest, '-players', {
    podSelector: playersOf(name),
    ingress: [],
    egress: [
      { ports: [{ protocol: 'UDP', port: 53 }, tcp(53)] },
      toRedis,
      toEndpoint(target),
      ...(targetPort === undefined ? [] : [{ ports: [tcp(targetPort)] }]),
    ],
  });
}

function redisPolicy(manifest: FleetManifest): Resource[] {
  const { name, redis } = manifest;
  if (redis !== undefined) return [];
  return [
    policy(manifest, '-redis', {
      podSelector: redisOf(name),
      ingress: [{ from: [{ podSelector: playersOf(name) }], ports: [tcp(redisPort)] }],
      egress: [],
    }),
  ];
}

const policy = (manifest: FleetManifest, suffix: string, spec: Fields): Resource => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: metadataOf(manifest, suffix),
  spec: { ...spec, policyTypes: ['Ingress', 'Egress'] },
});

const playersOf = (name: string): Fields => ({
  matchLabels: labelsOf(name),
  matchExpressions: [{ key: 'app.kubernetes.io/component', operator: 'In', values: ['worker', 'coordinator'] }],
});

const redisOf = (name: string): Fields => ({ matchLabels: labelsOf(name, 'redis') });

const tcp = (port: number): Fields => ({ protocol: 'TCP', port });

/** Allows a destination; policies do not support host names, so a named host is allowed by its port only. */
function toEndpoint({ ip, host, port }: Endpoint): Fields {
  if (ip === undefined) return { ports: [tcp(port)] };
  return { to: [{ ipBlock: { cidr: `${host}/${ip === 4 ? '32' : '128'}` } }], ports: [tcp(port)] };
}
