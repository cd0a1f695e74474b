export const severities = ['degraded', 'invalid'] as const;

/** What is seen against a run, with the verdict that it alone leads to, and a remedy where it fits the cause better than that of its rule; `undefined`: nothing. */
export type Finding = { severity: (typeof severities)[number]; message: string; remedy?: string } | undefined;

export const invalidIf = (seen: boolean, message: string): Finding =>
  seen ? { severity: 'invalid', message } : undefined;
export const degradedIf = (seen: boolean, message: string): Finding =>
  seen ? { severity: 'degraded', message } : undefined;
export const graded = (value: number, above: { degraded: number; invalid: number }, message: string): Finding =>
  invalidIf(value > above.invalid, message) ?? degradedIf(value > above.degraded, message);
