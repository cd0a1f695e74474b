/** The river: a stage may import from itself and from those before it. */
export const stages = [
  'base',
  'statistics',
  'dataset',
  'trace',
  'fit',
  'protocol',
  'scenario',
  'plan',
  'schedule',
  'session',
  'conformance',
  'record',
  'model-calls',
  'result',
  'fleet',
  'calibrate',
  'compare',
  'report',
] as const;

/** Every folder of the source, as the map of the architecture lists them. */
export const rooms = [...stages, 'page', 'edge', 'reference-service', 'app', 'cli', 'features'];

/** Reports whether a file below `src` is part of the product: not a test, nor support of the tests of a feature. */
export function isProduction(file: string): boolean {
  return /\.tsx?$/.test(file) && !file.endsWith('.test.ts') && !/^features[\\/][^\\/]+[\\/]test[\\/]/.test(file);
}
