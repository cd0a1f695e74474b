import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The position of scenario code in a stack; `place` is '' where no file of it is named. */
export interface ScenarioCode {
  place: string;
}

/** `dist/` once built, `src/` when run from source. */
const ownFolder = fileURLToPath(new URL('..', import.meta.url));

/**
 * Whether something came from code of a scenario, by its stack; `undefined`: it was our own. The
 * innermost frame decides that is neither the platform's nor a package's. Where there is none, it is the scenario's all
 * the same if it came from a package or from `fetch`, and if what was thrown is no error: chat-load does none of that
 * without a frame of its own.
 */
export function scenarioCodeIn(stack: string): ScenarioCode | undefined {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const places = frames.map(placeOf);
  const decisive = places.find((place) => place.startsWith(ownFolder) || !isForeign(place));
  if (decisive === undefined) return places.some(isPackage) ? { place: '' } : undefined;
  return decisive.startsWith(ownFolder) ? undefined : { place: relative('.', decisive) };
}

/** The same for anything thrown and uncaught. */
export function scenarioCodeBehind(thrown: unknown): ScenarioCode | undefined {
  if (!(thrown instanceof Error)) return { place: '' };
  if ('code' in thrown && thrown.code === 'ERR_UNHANDLED_REJECTION') return { place: '' };
  return scenarioCodeIn(thrown.stack ?? '');
}

/** File, line and column of a frame such as `    at run (file:///a/b.js:1:2)`. */
function placeOf(frame: string): string {
  const place = /\(([^()]*)\)\s*$/.exec(frame)?.[1] ?? frame.replace(/^\s+at (?:async )?/, '');
  return place.startsWith('file://') ? fileURLToPath(place) : place;
}

const isPackage = (place: string): boolean => place.includes('node_modules') || place.startsWith('node:internal/deps/');

const isForeign = (place: string): boolean => isPackage(place) || place.startsWith('node:') || !/[\\/]/.test(place);
