import { nearestName, unknownName } from '../../base/unknown-name.ts';
import { metricNames } from './metrics.ts';

/** Describes an unknown metric, with the known one that shares its words, or that is spelled most similarly. */
export function unknownMetric(given: string, known: readonly string[] = metricNames): string {
  const meant = metricOfWords(given, known) ?? nearestName(given, known);
  return unknownName('metric', given, known, meant);
}

/** Returns the shortest metric that has every word of a name; literal words count more than equivalent ones. */
function metricOfWords(given: string, known: readonly string[]): string | undefined {
  const words = wordsOf(given.slice(0, maxNameLength));
  const rated = known.map((name) => {
    const own = new Set(wordsOf(name));
    const literal = words.filter((word) => own.has(word)).length;
    const isAll = words.every((word) => own.has(word) || equivalents.get(word)?.some((each) => own.has(each)));
    return { name, isAll, literal, extra: own.size - words.length };
  });
  const [best] = rated
    .filter(({ isAll }) => isAll && words.length > 0)
    .toSorted((a, b) => b.literal - a.literal || a.extra - b.extra);
  return best?.name;
}

const maxNameLength = 100;

/** Words of other tools for words of metric names. */
const equivalents: ReadonlyMap<string, readonly string[]> = new Map([
  ['rate', ['share']],
  ['error', ['failed']],
  ['failure', ['failed']],
  ['ttft', ['token']],
  ['latency', ['turn']],
  ['duration', ['turn']],
  ['throughput', ['rate']],
  ['tps', ['rate']],
]);

/** Splits `rates.turnsPerSecond` into singular words: rate, turn, per, second. A class such as `rate_limited` is one. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '.')
    .toLowerCase()
    .split(/[^a-z0-9+_]+/)
    .map((word) => word.replace(/(?<=[a-z]{2})s$/, ''))
    .filter((word) => word !== '');
