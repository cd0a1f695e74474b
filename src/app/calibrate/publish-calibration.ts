import { ChatLoadError } from '../../base/errors.ts';
import { keepCalibration } from '../../edge/disk/calibration-file.ts';
import { describeEnvironment } from '../../edge/health/describe-environment.ts';
import { notCarriedText } from '../../report/calibration/render-calibration.ts';
import type { Calibration } from '../../result/sections/calibration.ts';
import { calibrationKey } from '../run/describe-run.ts';
import type { Calibrated } from './perform-calibration.ts';

/** The calibration of this machine, and the file that it is kept in. */
export interface PublishedCalibration {
  calibration: Calibration;
  path: string;
}

/** Makes the document of a calibration and keeps it. Throws `environment` where no load was carried, or it cannot be kept. */
export async function publishCalibration({ loads, notCarried }: Calibrated): Promise<PublishedCalibration> {
  if (loads.length === 0)
    throw new ChatLoadError('environment', {
      message: `This machine is too busy for a calibration: ${notCarried === undefined ? '' : notCarriedText(notCarried)}`,
      hint: 'Close other programs and try again.',
    });
  const calibration: Calibration = {
    kind: 'chat-load/calibration',
    schemaVersion: 1,
    ...calibrationKey(await describeEnvironment()),
    calibratedAt: new Date().toISOString(),
    loads,
    notCarried:
      notCarried === undefined ? null : { turnsPerSecond: notCarried.turnsPerSecond, holdMs: notCarried.holdMs },
  };
  return { calibration, path: await keepCalibration(calibration) };
}
