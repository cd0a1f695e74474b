import { performCalibration, publishCalibration } from '../../app/calibrate/perform-calibration.ts';
import { signalExitCodes } from '../../result/exit-code.ts';
import { printDocument } from '../console/deliver.ts';
import { withStatus } from '../console/screen.ts';
import type { Given } from '../parser/options.ts';

export function calibrate({ json }: Given<'calibrate'>): Promise<number> {
  return withStatus('calibrating', ['Stopping: nothing is stored.'], async (status, stops) => {
    const calibrated = await performCalibration({ stop: stops.drain, notify: status.notify });
    const signal = stops.signal();
    if (calibrated === undefined || signal !== undefined) return signalExitCodes[signal ?? 'SIGINT'];
    const { calibration, path } = await publishCalibration(calibrated);
    status.stop();
    await printDocument(calibration, json ? 'json' : 'terminal', { kept: path });
    return 0;
  });
}
