import { calibrationKey } from '../../src/app/run/publish-run.ts';
import { keepCalibration } from '../../src/edge/disk/calibration-file.ts';
import { describeEnvironment } from '../../src/edge/health/describe-environment.ts';
import { makeFolder } from './command.ts';
import { calibration } from './measured-documents.ts';

/** Returns the environment of a calibrated machine: with a target, `calibrate` then measures only the target. */
export async function calibratedHere(): Promise<{ CHAT_LOAD_CACHE: string }> {
  const folder = await makeFolder();
  await keepCalibration({ ...calibration, ...calibrationKey(await describeEnvironment()) }, folder);
  return { CHAT_LOAD_CACHE: folder };
}
