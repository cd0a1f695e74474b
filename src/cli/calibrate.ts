import { ChatLoadError } from '../base/errors.ts';
import { printableJson } from '../base/printable.ts';
import { keepCalibration } from '../edge/disk/calibration-file.ts';
import { describeEnvironment } from '../edge/health/describe-environment.ts';
import { formatCount, formatMs } from '../base/format.ts';
import { paragraph } from '../report/words/paragraph.ts';
import { renderCalibration } from '../report/calibration/render-calibration.ts';
import type { Calibration } from '../result/sections/calibration.ts';
import { signalExitCodes } from '../result/exit-code.ts';
import { calibrationKey } from '../app/run/calibration-key.ts';
import type { Command } from './command.ts';
import { openStatus } from './open-status.ts';
import { performCalibration, type Calibrated, type HeldLoad } from '../app/calibrate.ts';
import { takeSignals } from './signals.ts';
import { stdout } from './terminal.ts';

interface CalibrateArguments {
  json: boolean;
}

export const calibrateCommand: Command<CalibrateArguments> = {
  builder: (yargs) =>
    yargs
      .option('json', { type: 'boolean', default: false, describe: 'Print what was found as JSON, and nothing else' })
      .epilogue(
        'Takes some 20 s; nothing else should run on the machine. What was found is kept in the user’s cache folder ' +
          '(CHAT_LOAD_CACHE names another one), and every later result of this machine and version states it.',
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
      const calibration = await documentOf(calibrated);
      const path = await keepCalibration(calibration);
      status.stop();
      if (json) return stdout.line(printableJson(calibration, 2));
      stdout.line(renderCalibration(calibration, stdout));
      if (calibrated.notCarried !== undefined)
        stdout.line(`\n${paragraph(notCarriedText(calibrated.notCarried), stdout)}`);
      stdout.line(`\nkept in   ${path}`);
    } finally {
      status.stop();
      stops.release();
    }
  },
};

async function documentOf({ loads, notCarried }: Calibrated): Promise<Calibration> {
  if (loads.length === 0)
    throw new ChatLoadError('environment', {
      message: `This machine has no time for a calibration: ${notCarried === undefined ? '' : notCarriedText(notCarried)}`,
      hint: 'Close what else runs on it, and try again.',
    });
  return {
    kind: 'chat-load/calibration',
    schemaVersion: 1,
    ...calibrationKey(await describeEnvironment()),
    calibratedAt: new Date().toISOString(),
    loads,
  };
}

const notCarriedText = ({ turnsPerSecond, holdMs }: HeldLoad): string =>
  `${formatCount(turnsPerSecond)} turns/s with replies after ${formatMs(holdMs)} is more than this generator carries: no load from there on was calibrated.`;
