import type { CalibrationDocument } from '../../calibrate/calibration-document.ts';
import { limitOf } from '../../calibrate/target-ceiling.ts';
import { readCalibration } from '../../edge/disk/calibration-file.ts';
import { describeEnvironment } from '../../edge/health/describe-environment.ts';
import type { Calibration } from '../../result/sections/calibration.ts';
import { calibrationKey } from '../run/publish-run.ts';
import { calibrateMachine, publishCalibration, type Calibrating } from './calibrate-machine.ts';
import { measureTarget, type TargetMeasurement } from './measure-target.ts';

interface Performed {
  document: CalibrationDocument;
  /** Path of the calibration, if it was stored now. */
  path: string | undefined;
}

/**
 * Measures the target, then the machine; a stored calibration of the machine is enough if a target is named. Resolves with
 * `undefined` if it was stopped.
 */
export async function performCalibration(asked: TargetMeasurement & Calibrating): Promise<Performed | undefined> {
  const startedAt = new Date().toISOString();
  const target = await measureTarget(asked);
  if (target === undefined) return undefined;
  const isBare = asked.isOwn && target.embedded;
  const machine = (isBare ? undefined : await storedCalibration()) ?? (await calibrateNow(asked));
  if (machine === undefined) return undefined;
  const { ceiling, scenario, plannedPerSecond } = target;
  const limit =
    scenario === null || ceiling === null
      ? null
      : limitOf(plannedPerSecond ?? Infinity, ceiling, machine.calibration.sends.turnsPerSecond);
  return { document: { ...machine.calibration, startedAt, target, limit }, path: machine.path };
}

interface StoredCalibration {
  calibration: Calibration;
  path: string | undefined;
}

async function storedCalibration(): Promise<StoredCalibration | undefined> {
  const calibration = await readCalibration(calibrationKey(await describeEnvironment()));
  return calibration === null ? undefined : { calibration, path: undefined };
}

async function calibrateNow(asked: Calibrating): Promise<StoredCalibration | undefined> {
  const calibrated = await calibrateMachine(asked);
  return calibrated && publishCalibration(calibrated);
}
