import type { BreakBody } from '../exchange/apply-fault.ts';

/** Breaks the contract of an API: JSON that is no object, or, for every other way, an object without this member. */
export function breakingAt(member: string): BreakBody {
  return (breaks, _operation, body) => {
    if (breaks === 'not_object') return [true];
    const entries = Object.entries(JSON.parse(body) as Record<string, unknown>);
    return Object.fromEntries(entries.filter(([key]) => key !== member));
  };
}
