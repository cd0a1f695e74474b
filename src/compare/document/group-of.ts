import { digestOf } from '../../plan/digest.ts';
import { groupBy } from '../../base/group-by.ts';
import type { Environment } from '../../result/sections/environment.ts';
import type { Worker } from '../../result/sections/environment.ts';
import type { RunFacts } from '../../result/sections/run-facts.ts';
import type { z } from 'zod';
import { resultSchema, type Result } from '../../result/result.ts';

/** What runs must have in common to belong to one history. */
interface RunGroup {
  scenario: { name: string; hash: string };
  machineClass: string;
  loadHash: string;
}

/**
 * The group of a run. The scenario's hash covers the load already; it is hashed once more beside the target's kind and
 * profile, so that the group does not depend on the composition of the scenario's hash.
 */
export function groupOf({
  scenario,
  target,
  environment,
}: Pick<ResultHead, 'scenario' | 'target' | 'environment'>): RunGroup {
  const { load, durationMs, sessions, warmUpMs, embedded: profile } = scenario.plan;
  const { embedded: isEmbedded, protocol, stream } = target;
  return {
    scenario: { name: scenario.name, hash: scenario.hash },
    machineClass: machineClassOf(environment),
    loadHash: digestOf({ load, durationMs, sessions, warmUpMs, isEmbedded, protocol, stream, profile }),
  };
}

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

const nightPrefix = 'nightly-';

/** What the nightly job calls the runs of a night: `nightly-2026-01-31T020000Z`. */
export function nightLabel(at: Date): string {
  return `${nightPrefix}${at.toISOString().replace(/\.\d+/, '').replaceAll(':', '')}`;
}

/** Whether runs with this label are those of a night. */
export function isNight(label: string): boolean {
  return /^nightly-[\d-]+T\d+Z$/.test(label);
}

/**
 * The release of a run, as far as results show: runs of one label, measured by one version of chat-load. The nights of
 * the nightly job are one series: their release is unknown, and change points find where it changed.
 */
export function releaseOf({ label, toolVersion }: Pick<RunFacts, 'label' | 'toolVersion'>): string {
  return JSON.stringify([label !== null && isNight(label) ? nightPrefix : label, toolVersion]);
}

/** A result without its intervals, which are nearly all of its bytes. */
export type ResultHead = Omit<Result, 'intervals' | 'examples' | 'warnings'>;

/** The identity of a run, and what decides its comparability: small enough to be read of thousands. */
export const resultFactsSchema = resultSchema.pick({
  kind: true,
  schemaVersion: true,
  run: true,
  scenario: true,
  target: true,
  environment: true,
  validity: true,
});
export type ResultFacts = z.infer<typeof resultFactsSchema>;
