import { machineClassOf } from '../compare/machine-class.ts';
import type { CalibrationKey } from '../result/calibration.ts';
import type { Environment } from '../result/environment.ts';
import { toolVersion } from './tool-version.ts';

/** Whose calibration holds for runs of this version on a machine. */
export const calibrationKey = (environment: Environment): CalibrationKey => ({
  toolVersion,
  host: environment.host,
  machine: machineClassOf(environment),
});
