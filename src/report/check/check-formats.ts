import { checkSchema, type CheckDocument } from '../../conformance/check-document.ts';
import { asJson, type Renderable } from '../words/renderable.ts';
import { renderCheck, renderCheckJunit } from './render-check.ts';

export const checkFormats: Renderable<CheckDocument> = {
  schema: checkSchema,
  formats: { terminal: renderCheck, junit: renderCheckJunit, json: asJson },
};
