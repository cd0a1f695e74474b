import type { Environment } from './environment.ts';
import type { Worker } from './worker.ts';

/** The environment of a run that workers played: the machine is that of the first shard, each is in the list. */
export function describeFleet(coordinator: Environment, workers: readonly Worker[]): Environment {
  const [first] = workers;
  if (first === undefined) return coordinator;
  const { host, cpuModel, cores, memoryBytes, os, arch, nodeVersion } = first;
  const isHere = host === coordinator.host;
  const lates = workers.flatMap(({ startLateMs }) => startLateMs ?? []);
  return {
    ...coordinator,
    host,
    cpuModel,
    cores,
    memoryBytes,
    os,
    arch,
    nodeVersion,
    calibrationMs: isHere ? coordinator.calibrationMs : null,
    workers: [...workers],
    startSkewMs: lates.length === 0 ? null : Math.max(...lates) - Math.min(...lates),
  };
}
