import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StrayWatch } from '../../app/run/ports.ts';
import { ChatLoadError, messageOf } from '../../base/errors.ts';

interface Watched {
  scenario: string;
  journal: string | undefined;
  fail: (error: ChatLoadError) => void;
}

/** Runs follow one another. */
let watched: Watched | undefined;

export function watchStrays(scenario: string): StrayWatch {
  let failure: ChatLoadError | undefined;
  let resolve: (error: ChatLoadError) => void = () => undefined;
  const failed = new Promise<ChatLoadError>((settle) => (resolve = settle));
  const mine: Watched = {
    scenario,
    journal: undefined,
    fail: (error) => {
      failure ??= error;
      resolve(error);
    },
  };
  watched = mine;
  return {
    failed,
    failure: () => failure,
    hasJournal: (path) => (mine.journal = path),
    release: () => (watched = undefined),
  };
}

/** An uncaught error: as the scenario's error if it is one, otherwise unchanged. */
export function judgeStray(thrown: unknown): unknown {
  const code = scenarioCodeBehind(thrown);
  return code === undefined ? thrown : strayError(thrown, code);
}

/** Passes a failure to the run under way, which ends with it. False: no run is under way. */
export function endRunWith(failure: unknown): boolean {
  if (watched === undefined || !(failure instanceof ChatLoadError)) return false;
  watched.fail(failure);
  return true;
}

/** To be called while the process exits: the error, if it was code of a scenario that asked for that. */
export function exitOfScenario(): ChatLoadError | undefined {
  const stack = new Error('exit').stack ?? '';
  const asked = stack.slice(stack.search(/process\.(?:reallyExit|exit) /)).replace(/^.*\n/, '');
  const code = asked === stack ? undefined : scenarioCodeIn(asked);
  if (code === undefined) return undefined;
  const journal = watched?.journal;
  return new ChatLoadError('usage', {
    message: `${named()} called process.exit()${at(code)}, which ends everything at once, without a result.`,
    hint: `Remove it from the scenario; a function that throws stops the run and keeps its result.${journal === undefined ? '' : ` For what was measured until then: chat-load recover ${journal}`}`,
  });
}

const strayError = (thrown: unknown, code: ScenarioCode): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `${named()} failed in code that runs on its own${at(code)}: ${reasonOf(thrown)}`,
    hint: 'Fix the scenario file, or what it imports: a promise that is not awaited needs a catch, and so does the code of a timer.',
    cause: thrown,
  });

const named = (): string => (watched === undefined ? 'The scenario' : `The scenario ${watched.scenario}`);

const at = ({ place }: ScenarioCode): string => (place === '' ? '' : ` (${place})`);

/** Node.js wraps anything else in an error, and quotes it at the end of a long text. */
const reasonOf = (thrown: unknown): string =>
  /The promise rejected with the reason "(.*)"\.$/s.exec(messageOf(thrown))?.[1] ?? messageOf(thrown);

/** The position of scenario code in a stack; `place` is '' where no file of it is named. */
interface ScenarioCode {
  place: string;
}

/** `dist/` once built, `src/` when run from source. */
const ownFolder = fileURLToPath(new URL('../..', import.meta.url));

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
