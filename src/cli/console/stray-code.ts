import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StrayWatch } from '../../app/run/ports.ts';
import { ChatLoadError, messageOf, usageError } from '../../base/errors.ts';

interface Watched {
  scenario: string;
  journal: string | undefined;
  fail: (error: ChatLoadError) => void;
}

/** The current run; runs are consecutive. */
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

/** Converts an uncaught error of scenario code to a usage error; returns other errors unchanged. */
export function judgeStray(thrown: unknown): unknown {
  const code = scenarioCodeBehind(thrown);
  return code === undefined
    ? thrown
    : usageError(
        `${named()} failed in asynchronous code${at(code)}: ${reasonOf(thrown)}`,
        'Fix the scenario file or its imports: promises that are not awaited and timer callbacks must handle their errors.',
        thrown,
      );
}

/** Ends the current run with a failure. Returns false without a current run. */
export function endRunWith(failure: unknown): boolean {
  if (watched === undefined || !(failure instanceof ChatLoadError)) return false;
  watched.fail(failure);
  return true;
}

/** Returns an error if scenario code called `process.exit()`. To be called while the process exits. */
export function exitOfScenario(): ChatLoadError | undefined {
  const stack = new Error('exit').stack ?? '';
  const caller = stack.slice(stack.search(/process\.(?:reallyExit|exit) /)).replace(/^.*\n/, '');
  const code = caller === stack ? undefined : scenarioCodeIn(caller);
  if (code === undefined) return undefined;
  const journal = watched?.journal;
  return usageError(
    `${named()} called process.exit()${at(code)}, which ends the process without a result.`,
    `Remove the call; a function that throws stops the run and keeps its result.${journal === undefined ? '' : ` To recover the measurements: chat-load recover ${journal}`}`,
  );
}

const named = (): string => (watched === undefined ? 'The scenario' : `The scenario ${watched.scenario}`);

const at = ({ place }: ScenarioCode): string => (place === '' ? '' : ` (${place})`);

/** Returns the message; Node.js wraps rejections that are not errors, and quotes them at the end of a long text. */
const reasonOf = (thrown: unknown): string =>
  /The promise rejected with the reason "(.*)"\.$/s.exec(messageOf(thrown))?.[1] ?? messageOf(thrown);

/** Position of scenario code in a stack; `place` is '' if no file is known. */
interface ScenarioCode {
  place: string;
}

/** `dist/` once built, `src/` when run from source. */
const ownFolder = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Returns the scenario code that caused a stack; `undefined`: chat-load itself. The innermost frame outside the
 * platform and packages decides. Without such a frame, the scenario is the cause if a package or `fetch` is on the
 * stack or if the thrown value is not an error: chat-load does neither without its own frame.
 */
export function scenarioCodeIn(stack: string): ScenarioCode | undefined {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const places = frames.map(placeOf);
  const decisive = places.find((place) => place.startsWith(ownFolder) || !isForeign(place));
  if (decisive === undefined) return places.some(isPackage) ? { place: '' } : undefined;
  return decisive.startsWith(ownFolder) ? undefined : { place: relative('.', decisive) };
}

export function scenarioCodeBehind(thrown: unknown): ScenarioCode | undefined {
  if (!(thrown instanceof Error)) return { place: '' };
  if ('code' in thrown && thrown.code === 'ERR_UNHANDLED_REJECTION') return { place: '' };
  return scenarioCodeIn(thrown.stack ?? '');
}

/** Returns file, line and column of a frame such as `    at run (file:///a/b.js:1:2)`. */
function placeOf(frame: string): string {
  // Folders may have parentheses in their names.
  const place = /^\s+at .*? \((.*)\)\s*$/.exec(frame)?.[1] ?? frame.replace(/^\s+at (?:async )?/, '');
  return place.startsWith('file://') ? fileURLToPath(place) : place;
}

const isPackage = (place: string): boolean => place.includes('node_modules') || place.startsWith('node:internal/deps/');

const isForeign = (place: string): boolean => isPackage(place) || place.startsWith('node:') || !/[\\/]/.test(place);
