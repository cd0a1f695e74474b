import { jsonText } from '../../base/json.ts';
import type { SessionPlan } from '../../plan/session-plan.ts';

/** The values that some variables have in a turn, as a reply would write them. */
export function valuesOf(
  planned: SessionPlan,
  turn: number,
  names: readonly string[],
): { name: string; text: string }[] {
  const values = JSON.parse(planned.variableValues(turn) ?? '{}') as Readonly<Record<string, unknown>>;
  return names.map((name) => ({ name, text: textOf(values[name]) }));
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (jsonText(value) ?? ''));
