import { metrics } from '../src/result/metrics/metrics.ts';

const head = `// Written by \`npm run docs\` from the registry of metrics, so that an editor completes the names in \`gates\`.

/** A figure of a result that a gate can name. */
export type MetricName =
`;

/** The source of `src/scenario/metric-name.ts`. */
export function nameType(): string {
  return `${head}${metrics.map(({ name }) => `  | '${name}'`).join('\n')};\n`;
}
