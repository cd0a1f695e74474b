import { signalExitCodes } from '../result/exit-code.ts';
import type { Command } from './command.ts';
import { takeFlags } from './flags.ts';
import { openStatus } from './open-status.ts';
import { performCalibration } from '../app/calibrate/perform-calibration.ts';
import { publishCalibration } from '../app/calibrate/publish-calibration.ts';
import { printDocument } from './print-document.ts';
import { takeSignals } from './signals.ts';

interface CalibrateArguments {
  json: boolean;
}

export const calibrateCommand: Command<CalibrateArguments> = {
  builder: (yargs) =>
    takeFlags(yargs, 'json')
      .epilogue(
        'Takes about 20 s; nothing else should run on the machine. The findings are kept in the user’s cache folder ' +
          '(CHAT_LOAD_CACHE names another one), and every later result of this machine and version states them.',
      )
      .example('$0 calibrate', 'How far this generator reads from the truth, at several loads'),
  handler: async ({ json }) => {
    const status = openStatus('calibrating');
    const stops = takeSignals(() => status.note('Stopping: nothing is kept.'));
    try {
      const calibrated = await performCalibration({ stop: stops.drain, notify: status.notify });
      const signal = stops.signal();
      if (calibrated === undefined || signal !== undefined) {
        process.exitCode = signalExitCodes[signal ?? 'SIGINT'];
        return;
      }
      const { calibration, path } = await publishCalibration(calibrated);
      status.stop();
      await printDocument(calibration, json ? 'json' : 'terminal', { kept: path });
    } finally {
      status.stop();
      stops.release();
    }
  },
};
