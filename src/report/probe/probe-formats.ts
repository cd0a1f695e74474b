import { probeSchema, type ProbeDocument } from '../../probe/build-probe.ts';
import { asJson, type Renderable } from '../words/renderable.ts';
import { renderProbe } from './render-probe.ts';

export const probeFormats: Renderable<ProbeDocument> = {
  schema: probeSchema,
  formats: { terminal: renderProbe, json: asJson },
};
