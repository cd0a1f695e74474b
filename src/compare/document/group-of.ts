import { digestOf } from '../../plan/digest.ts';
import { groupBy } from '../../base/group-by.ts';
import type { Environment, Worker } from '../../result/sections/environment.ts';
import type { RunFacts } from '../../result/sections/run-facts.ts';
import type { z } from 'zod';
import { resultSchema, type Result } from '../../result/result.ts';

interface RunGroup {
  scenario: { name: string; hash: string };
  machineClass: string;
  loadHash: string;
}

/**
 * Returns the group of a run. The scenario's hash covers the load already; the load is hashed again with the target's kind
 * and profile, so that the group does not depend on the composition of the scenario's hash.
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
 * Traits of a machine class: processor, cores, memory, architecture, the system with the major version of its release, and
 * the major version of Node.js. Minor versions change with every update and rarely affect the speed of a generator; a
 * history that ended at each of them would never grow.
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

export function machineClassOf(environment: Environment | null): string {
  if (environment === null) return 'an unknown machine';
  const { workers } = environment;
  return workers === null ? classOf(environment) : `shards: ${workerClassesOf(workers)}`;
}

/** Counts the shards by machine class: `3 × a processor, 2 cores, ...; 1 × another, ...`. */
export function workerClassesOf(workers: readonly Worker[]): string {
  return [...groupBy(workers, classOf)]
    .map(([machine, those]) => `${String(those.length)} × ${machine}`)
    .toSorted()
    .join('; ');
}

type Machine = Pick<Environment, 'cpuModel' | 'cores' | 'memoryBytes' | 'arch' | 'os' | 'nodeVersion'>;

/** Rounds memory to whole gigabytes, since a system reports slightly more or less after an update. */
function classOf({ cpuModel, cores, memoryBytes, arch, os, nodeVersion }: Machine): string {
  const memory = `${String(Math.round(memoryBytes / 1e9))} GB`;
  return [cpuModel, coresOf(cores), memory, arch, systemOf(os), nodeOf(nodeVersion)].join(', ');
}

const coresOf = (cores: number): string => `${String(cores)} ${cores === 1 ? 'core' : 'cores'}`;
const systemOf = (os: string): string => /^[^\d]*\d+/.exec(os)?.[0] ?? os;
const nodeOf = (version: string): string => `Node.js ${/\d+/.exec(version)?.[0] ?? version}`;

const nightPrefix = 'nightly-';

/** Returns the label of the runs of a night in the nightly job: `nightly-2026-01-31T020000Z`. */
export function nightLabel(at: Date): string {
  return `${nightPrefix}${at.toISOString().replace(/\.\d+/, '').replaceAll(':', '')}`;
}

export function isNight(label: string): boolean {
  return /^nightly-[\d-]+T\d+Z$/.test(label);
}

/**
 * Returns the release of a run, as far as results show it: runs of one label and one version of chat-load. The nights of
 * the nightly job are one series: their release is unknown, and change points show when it changed.
 */
export function releaseOf({ label, toolVersion }: Pick<RunFacts, 'label' | 'toolVersion'>): string {
  return JSON.stringify([label !== null && isNight(label) ? nightPrefix : label, toolVersion]);
}

/** A result without its intervals, which make up most of its size. */
export type ResultHead = Omit<Result, 'intervals' | 'examples' | 'warnings'>;

/** Identity of a run, and the properties that decide its comparability: small enough to read from thousands of results. */
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
