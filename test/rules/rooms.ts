/** The river: a stage may import from itself and from those before it. */
export const stages = [
  'base',
  'wire',
  'scenario',
  'plan',
  'schedule',
  'session',
  'conformance',
  'record',
  'result',
  'compare',
  'report',
] as const;

/** Every folder of the source, as the README's map lists them. */
export const rooms = [...stages, 'edge', 'cli'];
