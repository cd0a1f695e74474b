import { countOf, formatNumber } from '../../base/format.ts';
import type { LoadUnit } from '../document/step.ts';

/** A load as a sentence has it: `180 sessions at a time`, `12.5 sessions a second`. */
export function loadText(load: number, by: LoadUnit): string {
  if (by === 'concurrency') return `${countOf(load, 'session')} at a time`;
  return `${formatNumber(load)} ${load === 1 ? 'session' : 'sessions'} a second`;
}

/** The unit of loads, as the head of a table has it. */
export const loadUnitTexts: Readonly<Record<LoadUnit, string>> = {
  concurrency: 'sessions at a time',
  rate: 'sessions/s',
};

/** How often something was shown: `once`, `twice`, `3 times`. */
export function timesText(times: number): string {
  return ['never', 'once', 'twice'][times] ?? `${String(times)} times`;
}
