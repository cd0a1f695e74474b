export const severities = ['degraded', 'invalid'] as const;

/** A concern about a run, with the verdict that it alone leads to, and a remedy where it fits the cause better than that of its rule; `undefined`: none. */
export type Concern = { severity: (typeof severities)[number]; message: string; remedy?: string } | undefined;

export function invalidIf(seen: boolean, message: string): Concern {
  return seen ? { severity: 'invalid', message } : undefined;
}
export function degradedIf(seen: boolean, message: string): Concern {
  return seen ? { severity: 'degraded', message } : undefined;
}
export function graded(value: number, above: { degraded: number; invalid: number }, message: string): Concern {
  return invalidIf(value > above.invalid, message) ?? degradedIf(value > above.degraded, message);
}
