import type { Plan } from '../../plan/plan.ts';
import { namesText, type Cost } from './cost.ts';
import type { Warning } from './warning.ts';

/** Returns warnings for models without a price: replies that have no cost, and replies that were priced as the requested model. */
export function unpricedWarnings(cost: Cost | null, { target }: Pick<Plan, 'target'>): Warning[] {
  if (cost === null) return [];
  const replies = cost.source === 'model' ? 'model calls' : 'replies';
  const { unknownModels, substitutedPrices } = cost;
  // An agent may request several models: its calls of them are only listed.
  const others =
    cost.source === 'model' ? [] : substitutedPrices.filter(({ name }) => !isVersionOf(name, target.agentId));
  return [
    ...(unknownModels.length === 0
      ? []
      : [
          {
            code: 'unknown_models',
            message: `The prices do not contain ${namesText(cost, unknownModels)}: these ${replies} have no cost.`,
            remedy: 'Add the models to prices, by the name in the reply or by the requested name.',
          },
        ]),
    ...(others.length === 0
      ? []
      : [
          {
            code: 'models_substituted',
            message: `The prices do not contain ${namesText(cost, others)}: these replies were priced as the requested model, although another one may have answered.`,
            remedy: 'Add the models to prices by the name in the reply, at their own prices.',
          },
        ]),
  ];
}

/** Reports whether a model is a dated or numbered version of the requested one, which costs the same: `gpt-x-2026-11-01`. */
function isVersionOf(name: string, requested: string): boolean {
  return name.startsWith(requested) && /^[-@:](?:v?\d{3,}[\d-]*|latest)$/.test(name.slice(requested.length));
}
