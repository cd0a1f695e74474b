import type { Warning } from '../sections/warning.ts';
import type { Drift, SeriesDrift } from '../sections/drift.ts';

/** What the generator's own drift says about the service's. */
interface GeneratorDrift {
  message: string;
  /** Whether the service's latency grew too: the growth may then be an error of measurement. */
  isShared: boolean;
}

const names: Readonly<Record<string, string>> = {
  'generator.rss': 'memory',
  'generator.heap': 'heap',
  'generator.eventLoopDelay': 'event-loop delay',
};

/** `undefined` where the generator was steady. */
export function generatorDrift(drift: Drift | undefined): GeneratorDrift | undefined {
  const grown = drift?.series.filter((each) => each.subject === 'generator' && each.verdict === 'drift') ?? [];
  if (grown.length === 0) return undefined;
  const grownText = `the generator's own ${grown.map(growthText).join(', its ')}`;
  const isShared = drift?.series.some(isSlower) ?? false;
  const message = isShared
    ? `${grownText}: what looks like a slower service may be a slower generator`
    : `${grownText} during the run`;
  return { message, isShared };
}

/** Where the service's latency did not grow, it does not invalidate the figures, but is reported. */
export function driftWarnings(drift: Drift): Warning[] {
  const own = generatorDrift(drift);
  if (own === undefined || own.isShared) return [];
  return [
    {
      code: 'generator_drifted',
      message: `${own.message}.`,
      remedy: 'In a longer run it may distort the figures: see intervals[].generator.',
    },
  ];
}

const isSlower = ({ subject, unit, direction }: SeriesDrift): boolean =>
  subject === 'service' && unit === 'ms' && direction === 'worse';

const growthText = ({ name, overall }: SeriesDrift): string =>
  `${names[name] ?? name} grew by ${((overall ?? 0) * 100).toFixed(0)} %`;
