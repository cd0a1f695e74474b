import type { FleetManifest, Resource } from './manifest.ts';

/** The parts of a fleet, as the label `app.kubernetes.io/component` names them. */
export type Component = 'worker' | 'coordinator' | 'redis';

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
