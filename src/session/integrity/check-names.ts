/** The checks of the integrity guard, in their order: the first that fails names the reply. */
export const checkNames = [
  'answered',
  'crossed',
  'stale',
  'placeholder',
  'variables',
  'leakage',
  'turns',
  'continuity',
  'amnesia',
] as const;
export type CheckName = (typeof checkNames)[number];
