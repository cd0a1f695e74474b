import { stringify } from 'yaml';
import { printable } from '../../base/printable.ts';
import { coordinatorJob, workerJob, scenarioMap } from './jobs.ts';
import type { FleetManifest, Resource } from './manifest.ts';
import { networkPolicies, ownRedis } from './redis.ts';
import { countOf, formatCount, formatMs } from '../../base/format.ts';

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

/** What a reader has to do and to know, as lines of comments. */
function manifestNotes(manifest: FleetManifest): string[] {
  const { toolVersion, scenario, shards, name } = manifest;
  return [
    `${scenario.path} over ${countOf(shards, 'worker')}, by chat-load ${toolVersion}. Kubernetes 1.29 or later.`,
    '',
    'First the keys, which are in no file:',
    ...secretLines(manifest),
    `Then: kubectl apply --server-side -f -   (a run of the same name first: kubectl delete -f -)`,
    `Watch: kubectl logs -f job/${name}-coordinator${inNamespace(manifest)}`,
    resultLine(manifest),
    '',
    connectionLine(manifest),
    lengthLine(manifest),
  ];
}

/** The shell's own printf: no list of processes shows the key. */
function secretLines(manifest: FleetManifest): string[] {
  const { secret, redis } = manifest;
  const create = `kubectl create secret generic ${secret}${inNamespace(manifest)} --from-env-file=/dev/stdin`;
  if (redis === undefined)
    return [
      `  printf 'api-key=%s\\nredis-password=%s\\n' "$CHAT_LOAD_API_KEY" "$(openssl rand -hex 24)" |`,
      `    ${create}`,
    ];
  return [
    `  printf 'api-key=%s\\n' "$CHAT_LOAD_API_KEY" | ${create}`,
    'A Redis with a user or a password takes them from redis-username and redis-password in the same Secret.',
  ];
}

const inNamespace = ({ namespace }: FleetManifest): string =>
  namespace === undefined ? '' : ` --namespace ${namespace}`;

const resultLine = ({ resultsClaim }: FleetManifest): string =>
  resultsClaim === undefined
    ? 'The report is in that log. The result file goes with the pod: --results-claim NAME keeps it.'
    : `The result is on the claim ${resultsClaim}, the report also in that log.`;

function connectionLine({ size }: FleetManifest): string {
  const { sessionsLive, connections, maxConnections } = size;
  const max = maxConnections === null ? 'without a bound' : `at most ${formatCount(maxConnections)}`;
  const files = (maxConnections ?? connections) + ownDescriptors;
  return `A worker has about ${countOf(sessionsLive, 'session')} live and ${countOf(connections, 'connection')} open, ${max}: its runtime must allow ${formatCount(files)} open files (ulimit -n).`;
}

/** Of the worker itself, beside its connections. */
const ownDescriptors = 128;

function lengthLine({ size: { lengthSeconds, lengthFrom } }: FleetManifest): string {
  const length = formatMs(lengthSeconds * 1000);
  switch (lengthFrom) {
    case 'scenario':
      return `Jobs are ended when the load (${length}), its grace period and 15 minutes are over.`;
    case 'forecast':
      return `Jobs are ended after ${length} of load, four times the forecast: --reply-time makes it better, maxDuration in the scenario makes it certain.`;
    case 'nothing':
      return `Jobs are ended after a day, since nothing bounds the run: set maxDuration in the scenario.`;
  }
}
