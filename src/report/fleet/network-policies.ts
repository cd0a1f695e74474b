import type { FleetManifest, Place, Resource } from './manifest.ts';
import { labelsOf, metadataOf, redisPort } from './resource.ts';

/** Workers and coordinator reach DNS, Redis and the target; nobody reaches them, and only they reach Redis. */
export function networkPolicies(manifest: FleetManifest): Resource[] {
  return [players(manifest), ...redisPolicy(manifest)];
}

function players(manifest: FleetManifest): Resource {
  const { name, redis, target, targetPort } = manifest;
  const toRedis = redis === undefined ? { to: [podsOf(name)], ports: [tcp(redisPort)] } : toPlace(redis.place);
  return policy(manifest, '-players', {
    podSelector: playersOf(name),
    ingress: [],
    egress: [
      { ports: [{ protocol: 'UDP', port: 53 }, tcp(53)] },
      toRedis,
      toPlace(target),
      ...(targetPort === undefined ? [] : [{ ports: [tcp(targetPort)] }]),
    ],
  });
}

function redisPolicy(manifest: FleetManifest): Resource[] {
  const { name, redis } = manifest;
  if (redis !== undefined) return [];
  return [
    policy(manifest, '-redis', {
      podSelector: { matchLabels: labelsOf(name, 'redis') },
      ingress: [{ from: [{ podSelector: playersOf(name) }], ports: [tcp(redisPort)] }],
      egress: [],
    }),
  ];
}

const policy = (manifest: FleetManifest, suffix: string, spec: Readonly<Record<string, unknown>>): Resource => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: metadataOf(manifest, suffix),
  spec: { ...spec, policyTypes: ['Ingress', 'Egress'] },
});

const playersOf = (name: string): Record<string, unknown> => ({
  matchLabels: labelsOf(name),
  matchExpressions: [{ key: 'app.kubernetes.io/component', operator: 'In', values: ['worker', 'coordinator'] }],
});

const podsOf = (name: string): Record<string, unknown> => ({ podSelector: { matchLabels: labelsOf(name, 'redis') } });

const tcp = (port: number): Record<string, unknown> => ({ protocol: 'TCP', port });

/** Policies know addresses but no names: a named host is allowed by its port alone. */
function toPlace({ ip, host, port }: Place): Record<string, unknown> {
  if (ip === undefined) return { ports: [tcp(port)] };
  return { to: [{ ipBlock: { cidr: `${host}/${ip === 4 ? '32' : '128'}` } }], ports: [tcp(port)] };
}
