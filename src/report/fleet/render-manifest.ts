import { stringify } from 'yaml';
import { printable } from '../../base/printable.ts';
import { coordinatorJob, workerJob } from './jobs.ts';
import { manifestNotes } from './manifest-notes.ts';
import type { FleetManifest, Resource } from './manifest.ts';
import { networkPolicies } from './network-policies.ts';
import { ownRedis } from './redis.ts';
import { scenarioMap } from './scenario-map.ts';

/** Renders the resources of a fleet as YAML for `kubectl apply`, after notes on what to do with them. */
export function renderManifest(manifest: FleetManifest): string {
  const notes = manifestNotes(manifest).map((line) => `# ${printable(line)}`.trimEnd());
  return [...notes, ...resourcesOf(manifest).flatMap((resource) => ['---', yamlOf(resource)])].join('\n');
}

const resourcesOf = (manifest: FleetManifest): Resource[] => [
  ...networkPolicies(manifest),
  ...scenarioMap(manifest),
  ...ownRedis(manifest),
  workerJob(manifest),
  coordinatorJob(manifest),
];

/**
 * Without the line break at its end, and no more: others may be those of a file. Also YAML 1.1, which kubectl reads: there
 * `on` and `1:30` are no texts unless they are quoted.
 */
const yamlOf = (resource: Resource): string =>
  stringify(resource, { lineWidth: 0, compat: 'yaml-1.1', aliasDuplicateObjects: false }).slice(0, -1);
