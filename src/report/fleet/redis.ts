import type { FleetManifest, Resource } from './manifest.ts';
import { fromSecret, podTemplate } from './pod.ts';
import { labelsOf, metadataOf, redisPort } from './resource.ts';

/** The user of the image. */
const redisUser = 999;
const memoryMiB = 512;

/** A Redis for the fleet, which keeps nothing on disk; none where the user has one. */
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

const container = ({ secret: name }: FleetManifest): Record<string, unknown> => ({
  image: 'redis:7.4-alpine',
  command: ['redis-server'],
  // BullMQ needs noeviction: a broker that drops keys drops shards.
  args: [
    ...['--save', '', '--appendonly', 'no'],
    ...['--maxmemory', `${String(memoryMiB - 128)}mb`, '--maxmemory-policy', 'noeviction'],
    ...['--requirepass', '$(REDIS_PASSWORD)'],
  ],
  env: [fromSecret('REDIS_PASSWORD', { name, key: 'redis-password' })],
  ports: [{ name: 'redis', containerPort: redisPort, protocol: 'TCP' }],
  readinessProbe: { tcpSocket: { port: redisPort }, periodSeconds: 2 },
  resources: {
    requests: { cpu: '250m', memory: `${String(memoryMiB)}Mi` },
    limits: { cpu: '1', memory: `${String(memoryMiB)}Mi` },
  },
  volumeMounts: [{ name: 'data', mountPath: '/data' }],
});
