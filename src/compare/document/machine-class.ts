import { groupBy } from '../../base/group-by.ts';
import type { Environment } from '../../result/sections/environment.ts';
import type { Worker } from '../../result/sections/worker.ts';

/**
 * What makes machines of one class: processor, cores, memory, architecture, the system with the first number of its
 * release, and the first number of Node.js. Later numbers of a release change with every update and rarely how fast a
 * generator is; a history that ended at each of them would never grow.
 */
export const machineTraits: readonly { key: string; meaning: string; of: (environment: Environment) => string }[] = [
  { key: 'environment.cpuModel', meaning: 'the processors differ', of: ({ cpuModel }) => cpuModel },
  { key: 'environment.cores', meaning: 'the numbers of cores differ', of: ({ cores }) => coresOf(cores) },
  { key: 'environment.arch', meaning: 'the architectures differ', of: ({ arch }) => arch },
  { key: 'environment.os', meaning: 'the systems differ', of: ({ os }) => systemOf(os) },
  {
    key: 'environment.nodeVersion',
    meaning: 'the versions of Node.js differ',
    of: ({ nodeVersion }) => nodeOf(nodeVersion),
  },
];

/** Where the load came from, in words: the class of a machine, or of those of all shards. */
export function machineClassOf(environment: Environment | null): string {
  if (environment === null) return 'an unknown machine';
  const { workers } = environment;
  return workers === null ? classOf(environment) : `shards: ${workerClassesOf(workers)}`;
}

/** How many shards were played on machines of each class: `3 × a processor, 2 cores, ...; 1 × another, ...`. */
export function workerClassesOf(workers: readonly Worker[]): string {
  return [...groupBy(workers, classOf)]
    .map(([machine, those]) => `${String(those.length)} × ${machine}`)
    .toSorted()
    .join('; ');
}

type Machine = Pick<Environment, 'cpuModel' | 'cores' | 'memoryBytes' | 'arch' | 'os' | 'nodeVersion'>;

/** Memory to the whole gigabyte, since a system shows a little less or more after an update. */
function classOf({ cpuModel, cores, memoryBytes, arch, os, nodeVersion }: Machine): string {
  const memory = `${String(Math.round(memoryBytes / 1e9))} GB`;
  return [cpuModel, coresOf(cores), memory, arch, systemOf(os), nodeOf(nodeVersion)].join(', ');
}

const coresOf = (cores: number): string => `${String(cores)} ${cores === 1 ? 'core' : 'cores'}`;
const systemOf = (os: string): string => /^[^\d]*\d+/.exec(os)?.[0] ?? os;
const nodeOf = (version: string): string => `Node.js ${/\d+/.exec(version)?.[0] ?? version}`;
