import type { Fields, FleetManifest } from './manifest.ts';
import { printable } from '../../base/printable.ts';

/** Components of a fleet, as in the label `app.kubernetes.io/component`. */
type Component = 'worker' | 'coordinator' | 'redis';

/** Port of the Redis that the fleet starts. */
export const redisPort = 6379;

export const folders = { work: '/load', results: '/results', scratch: '/tmp' } as const;

export function metadataOf({ name, namespace }: FleetManifest, suffix: string, component?: Component): Fields {
  return {
    name: `${name}${suffix}`,
    ...(namespace !== undefined && { namespace }),
    labels: labelsOf(name, component),
  };
}

/** Returns the labels by which policies and services select pods. */
export function labelsOf(name: string, component?: Component): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'chat-load',
    'app.kubernetes.io/instance': name,
    ...(component !== undefined && { 'app.kubernetes.io/component': component }),
  };
}

interface Container {
  component: Component;
  /** User and group of the image, not root. */
  uid: number;
  container: Fields;
  volumes: readonly Fields[];
  more?: Fields;
}

/** Builds a pod with one container that meets the restricted Pod Security Standard and has no access to the cluster's API. */
export function podTemplate(
  { name, scenario }: FleetManifest,
  { component, uid, container, volumes, more }: Container,
): Fields {
  return {
    metadata: {
      labels: labelsOf(name, component),
      annotations: { 'chat-load/scenario': printable(scenario.name), 'chat-load/scenario-hash': scenario.hash },
    },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: uid,
        runAsGroup: uid,
        fsGroup: uid,
        seccompProfile: { type: 'RuntimeDefault' },
        ...(component === 'worker' && { sysctls: [wholePortRange] }),
      },
      containers: [{ name: component, ...container, securityContext: minRights }],
      volumes,
      ...more,
    },
  };
}

/** Range of local ports, one per connection; Kubernetes lists this sysctl as safe. */
const wholePortRange = { name: 'net.ipv4.ip_local_port_range', value: '1024 65535' };

const minRights = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** Requests memory and limits it to twice the amount; CPU in cores. */
export function resources(memoryMiB: number, [cpu, maxCpu]: readonly [string, string]): Fields {
  const rounded = Math.ceil(memoryMiB / 64) * 64;
  return {
    requests: { cpu, memory: `${String(rounded)}Mi` },
    limits: { cpu: maxCpu, memory: `${String(2 * rounded)}Mi` },
  };
}

/** Builds an environment variable with a value from the user's Secret. */
export function fromSecret(
  secret: string,
  variable: string,
  key: string,
  optional: { optional?: boolean } = {},
): Fields {
  return { name: variable, valueFrom: { secretKeyRef: { name: secret, key, ...optional } } };
}

export const scratch = {
  volume: { name: 'scratch', emptyDir: { sizeLimit: '256Mi' } },
  mount: { name: 'scratch', mountPath: folders.scratch },
};
