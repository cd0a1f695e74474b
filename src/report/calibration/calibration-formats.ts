import { calibrationSchema, type Calibration } from '../../result/sections/calibration.ts';
import { asJson, type Renderable } from '../words/renderable.ts';
import { renderCalibration } from './render-calibration.ts';

export const calibrationFormats: Renderable<Calibration> = {
  schema: calibrationSchema,
  formats: {
    terminal: (calibration, style, { kept }) =>
      [renderCalibration(calibration, style), ...(kept === undefined ? [] : [`kept in   ${kept}`])].join('\n\n'),
    json: asJson,
  },
};
