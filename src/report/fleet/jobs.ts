import { isUtf8 } from 'node:buffer';
import type { Fields, FleetManifest, Resource, ScenarioFile } from './manifest.ts';
import { fromSecret, podTemplate, resources, scratch, folders, labelsOf, metadataOf, redisPort } from './pod.ts';
import { printable } from '../../base/printable.ts';

/** Maximum wait of workers and coordinator for each other, during which images are pulled and nodes may be started. */
const readyMinutes = 10;
const readyWait = `${String(readyMinutes)}m`;
/** Time for starting and publishing, in addition to the load. */
const marginSeconds = 300;
/** User of the Dockerfile. */
const nodeUser = 1000;

/**
 * Builds the Job of the workers, one pod per shard. A failed pod is not replaced: its shard is lost, and the run continues
 * without it. (`backoffLimit: 0` would end all workers with the first failure.)
 */
export function workerJob(manifest: FleetManifest): Resource {
  const { shards, size, scenario } = manifest;
  const words = ['worker', scenario.path, ...broker(manifest), '--folder', folders.work, '--once', '--wait', readyWait];
  return jobOf(manifest, 'worker', {
    fields: { completionMode: 'Indexed', completions: shards, parallelism: shards, backoffLimitPerIndex: 0 },
    container: { ...chatLoad(manifest, words), resources: resources(size.workerMiB, ['1', '2']) },
    volumes: [],
    more: { ...endings(manifest), topologySpreadConstraints: [spread(manifest)] },
  });
}

/** Builds the Job of the coordinator, which runs once. */
export function coordinatorJob(manifest: FleetManifest): Resource {
  const { scenario, shards, label, size } = manifest;
  const [, url = '', ...prefix] = broker(manifest);
  const words = [
    ...['run', scenario.path, '--fleet', url, '--shards', String(shards), ...prefix],
    ...['--ready-timeout', readyWait, '--out', folders.results],
    ...(label === undefined ? [] : ['--label', label]),
  ];
  const own = chatLoad(manifest, words);
  const volumeMounts = [...own.volumeMounts, { name: 'results', mountPath: folders.results }];
  return jobOf(manifest, 'coordinator', {
    fields: { backoffLimit: 0 },
    container: { ...own, volumeMounts, resources: resources(size.coordinatorMiB, ['500m', '2']) },
    volumes: [resultsVolume(manifest)],
    more: endings(manifest),
  });
}

interface JobParts {
  /** Fields of the Job that limit its pods and their failures. */
  fields: Fields;
  container: Fields;
  volumes: readonly Fields[];
  more: Fields;
}

function jobOf(manifest: FleetManifest, component: 'worker' | 'coordinator', parts: JobParts): Resource {
  const { fields, container, volumes, more } = parts;
  const all = [scratch.volume, ...volumes, ...scenarioVolume(manifest).volumes];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metadataOf(manifest, component === 'worker' ? '-workers' : '-coordinator', component),
    spec: {
      ...fields,
      activeDeadlineSeconds: deadlineOf(manifest),
      template: podTemplate(manifest, { component, uid: nodeUser, container, volumes: all, more }),
    },
  };
}

/** Returns the maximum lifetime of a Job; its pods are then terminated. */
const deadlineOf = ({ size }: FleetManifest): number =>
  readyMinutes * 60 + size.lengthSeconds + size.graceSeconds + marginSeconds;

/** Returns the settings for the end of a pod: it drains within the grace period of the scenario, then publishes. */
const endings = ({ size }: FleetManifest): Fields => ({
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: size.graceSeconds + 30,
});

function chatLoad(manifest: FleetManifest, args: readonly string[]) {
  const { image, secret, environment, redis } = manifest;
  const variables = Object.entries(environment).map(([name, value]) => ({ name, value: literal(value) }));
  const optional = redis === undefined ? {} : { optional: true };
  return {
    image,
    imagePullPolicy: 'IfNotPresent',
    args: args.map(literal),
    workingDir: folders.work,
    env: [
      ...variables,
      fromSecret(secret, 'CHAT_LOAD_API_KEY', 'api-key'),
      ...(redis === undefined ? [] : [fromSecret(secret, 'CHAT_LOAD_REDIS_USERNAME', 'redis-username', optional)]),
      fromSecret(secret, 'CHAT_LOAD_REDIS_PASSWORD', 'redis-password', optional),
    ],
    volumeMounts: [scratch.mount, ...scenarioVolume(manifest).mounts],
  };
}

/** Escapes dollar signs, because Kubernetes expands `$(NAME)` in arguments and values. */
const literal = (text: string): string => text.replaceAll('$', '$$$$');

const broker = ({ name, redis }: FleetManifest): string[] => [
  '--redis',
  redis?.url ?? `redis://${name}-redis:${String(redisPort)}`,
  '--prefix',
  name,
];

const resultsVolume = ({ resultsClaim: claimName }: FleetManifest): Fields => ({
  name: 'results',
  ...(claimName === undefined ? { emptyDir: { sizeLimit: '2Gi' } } : { persistentVolumeClaim: { claimName } }),
});

/** Spreads workers over nodes, because workers on one node share its cores. */
const spread = ({ name }: FleetManifest): Fields => ({
  maxSkew: 1,
  topologyKey: 'kubernetes.io/hostname',
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels: labelsOf(name, 'worker') },
});

/** Builds the ConfigMap with the scenario and its data files; none if they are in the image. */
export function scenarioMap(manifest: FleetManifest): Resource[] {
  const { files } = manifest.scenario;
  if (files === undefined) return [];
  const data: Record<string, string> = {};
  const binaryData: Record<string, string> = {};
  for (const [index, file] of files.entries()) {
    const text = plainText(file);
    if (text === undefined) binaryData[keyOf(file, index)] = Buffer.from(file.content).toString('base64');
    else data[keyOf(file, index)] = text;
  }
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: metadataOf(manifest, '-scenario'),
      immutable: true,
      data,
      ...(Object.keys(binaryData).length > 0 && { binaryData }),
    },
  ];
}

/** Mounts the ConfigMap, each file at its path below the folder of the worker. */
function scenarioVolume({ name, scenario: { files } }: FleetManifest): Record<'volumes' | 'mounts', Fields[]> {
  if (files === undefined) return { volumes: [], mounts: [] };
  const items = files.map((file, index) => ({ key: keyOf(file, index), path: file.path }));
  return {
    volumes: [{ name: 'scenario', configMap: { name: `${name}-scenario`, items } }],
    mounts: [{ name: 'scenario', mountPath: folders.work, readOnly: true }],
  };
}

/** Returns a key without slashes; the number makes it unique. */
const keyOf = ({ path }: ScenarioFile, index: number): string =>
  `${String(index)}-${(path.split('/').at(-1) ?? '').replaceAll(/[^-._a-zA-Z0-9]/g, '_').slice(0, 200)}`;

/** Returns the text of a file if YAML and a terminal preserve every byte, because a worker refuses a scenario with another hash. */
function plainText({ content }: ScenarioFile): string | undefined {
  const text = Buffer.from(content).toString('utf8');
  const isPlain =
    isUtf8(content) && !text.startsWith('\ufeff') && text.split('\n').every((line) => printable(line) === line);
  return isPlain ? text : undefined;
}
