import { machineClassOf } from '../../compare/document/group-of.ts';
import type { CalibrationKey } from '../../result/sections/calibration.ts';
import type { Environment } from '../../result/sections/environment.ts';
import { toolVersion } from '../../edge/tool-version.ts';

/** Whose calibration holds for runs of this version on a machine. */
export function calibrationKey(environment: Environment): CalibrationKey {
  return {
    toolVersion,
    host: environment.host,
    machine: machineClassOf(environment),
  };
}
