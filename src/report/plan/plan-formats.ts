import { asJson, type Renderable } from '../words/renderable.ts';
import { planDocumentSchema, type PlanView } from './plan-document.ts';
import { renderPlan } from './render-plan.ts';

export const planFormats: Renderable<PlanView> = {
  schema: planDocumentSchema,
  formats: { terminal: renderPlan, json: asJson },
};
