import type { Calibration } from '../../result/sections/calibration.ts';
import type { Ending } from '../words/renderer.ts';
import type { Style } from '../words/table.ts';
import { renderCalibration } from './render-calibration.ts';

/** The tables of a calibration, and the file that it is kept in. */
export function renderCalibrationTerminal(calibration: Calibration, style: Style, { kept }: Ending): string {
  return [renderCalibration(calibration, style), ...(kept === undefined ? [] : [`kept in   ${kept}`])].join('\n\n');
}
