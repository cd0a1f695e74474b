import type { FleetManifest, Resource } from './manifest.ts';
import { printable } from '../../base/printable.ts';

/** The parts of a fleet, as the label `app.kubernetes.io/component` names them. */
type Component = 'worker' | 'coordinator' | 'redis';

/** The port of a Redis that the fleet starts itself. */
export const redisPort = 6379;

/** Where the container finds the scenario, and leaves results. */
export const folders = { work: '/load', results: '/results', scratch: '/tmp' } as const;

/** The metadata of a resource of the fleet, named after it. */
export function metadataOf(
  { name, namespace }: FleetManifest,
  suffix: string,
  component?: Component,
): Resource['metadata'] {
  return {
    name: `${name}${suffix}`,
    ...(namespace !== undefined && { namespace }),
    labels: labelsOf(name, component),
  };
}

/** The labels by which policies and services find pods. */
export function labelsOf(name: string, component?: Component): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'chat-load',
    'app.kubernetes.io/instance': name,
    ...(component !== undefined && { 'app.kubernetes.io/component': component }),
  };
}

interface Container {
  component: Component;
  /** The user and group of the image, which is not root. */
  uid: number;
  container: Readonly<Record<string, unknown>>;
  volumes: readonly Readonly<Record<string, unknown>>[];
  /** More fields of the pod. */
  more?: Readonly<Record<string, unknown>>;
}

/** A pod with one container, as the restricted Pod Security Standard wants it, and without access to the cluster's API. */
export function podTemplate(
  { name, scenario }: FleetManifest,
  { component, uid, container, volumes, more }: Container,
): Record<string, unknown> {
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

/** A connection takes a local port; this parameter is among those that Kubernetes calls safe. */
const wholePortRange = { name: 'net.ipv4.ip_local_port_range', value: '1024 65535' };

const minRights = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** Memory as asked for, and twice that before the container is killed; processor time in cores. */
export function resources(memoryMiB: number, [cpu, maxCpu]: readonly [string, string]): Record<string, unknown> {
  const rounded = Math.ceil(memoryMiB / 64) * 64;
  return {
    requests: { cpu, memory: `${String(rounded)}Mi` },
    limits: { cpu: maxCpu, memory: `${String(2 * rounded)}Mi` },
  };
}

/** A variable whose value is in the user's Secret. */
export function fromSecret(
  variable: string,
  { name, key, optional }: { name: string; key: string; optional?: true },
): Record<string, unknown> {
  return {
    name: variable,
    valueFrom: { secretKeyRef: { name, key, ...(optional === true && { optional }) } },
  };
}

export const scratch = {
  volume: { name: 'scratch', emptyDir: { sizeLimit: '256Mi' } },
  mount: { name: 'scratch', mountPath: folders.scratch },
};
