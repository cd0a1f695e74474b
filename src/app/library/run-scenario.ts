import { z } from 'zod';
import { ChatLoadError, messageOf } from '../../base/errors.ts';
import { prepareFolder } from '../../edge/disk/write-result.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Live } from '../../record/live.ts';
import type { Result } from '../../result/result.ts';
import type { DataLists } from '../../scenario/scenario-values.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { performRun, type Performed } from '../run/perform-run.ts';
import { type Placed, recordRun, requirePlaced } from '../run/record-run.ts';
import type { RunPorts } from '../run/ports.ts';
import { abortSignal, callback, readOptions, type OptionsOf, settleGiven, settingShape } from './settle-given.ts';

const runShape = {
  ...settingShape,
  /** What the run is called in its result. */
  label: z.string().optional(),
  /** Once aborted, no new session starts and what is under way may finish within `gracePeriod`. The result says `interrupted`. */
  signal: abortSignal.optional(),
  /** Once aborted, what is under way is cut. */
  cutSignal: abortSignal.optional(),
  /** Is given figures once a second while the run goes on. What it throws, or its promise rejects with, cuts the run and rejects. */
  onProgress: callback<(progress: Live) => void | Promise<void>>().optional(),
  /** Is given what should be known before the end, as a sentence. What it throws does the same. */
  onWarning: callback<(text: string) => void | Promise<void>>().optional(),
  /** The folder to write the result to. Default: no file is written. */
  out: z.string().optional(),
  /** Keep a journal in `out` while the run goes on, and leave it there when there is no result. Default: false. */
  journal: z.boolean().optional(),
};
export type RunOptions = OptionsOf<typeof runShape>;

/**
 * Runs a scenario in this process and resolves with its result, whatever the verdicts on it. Leaves nothing behind in
 * the process: no listener, no timer, no handle, no changed setting. Rejects with `ChatLoadError`: usage for a scenario
 * or an option that is wrong or a function of the scenario that threw, environment for a target that cannot be reached
 * or a result that cannot be written where it should be. Rejects with whatever a function of the caller threw.
 */
export async function runScenario<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  options: RunOptions = {},
): Promise<Result> {
  readOptions('runScenario', options, runShape);
  if (options.journal === true && options.out === undefined) throw noFolder();
  const settled = await settleGiven(scenario, options);
  const watcher = new Watcher(options);
  try {
    const { result, stop, ...placed } = await (options.out === undefined
      ? performOnly(settled, options, watcher)
      : performRecorded(settled, { ...options, out: options.out }, watcher));
    throwError(stop);
    await watcher.finish();
    requirePlaced(placed, 'result');
    return result;
  } finally {
    watcher.release();
  }
}

type Ports = Pick<RunPorts, 'stops' | 'screen'>;
type Ended = Performed & Partial<Placed>;

const performOnly = (settled: Settled, options: RunOptions, { stops, screen }: Ports): Promise<Ended> =>
  performRun(settled, {
    ...namesOf(options),
    stops,
    note: (text) => screen.note(text),
    show: (live) => screen.follow(live, settled),
  });

async function performRecorded(
  settled: Settled,
  options: RunOptions & { out: string },
  { stops, screen }: Ports,
): Promise<Ended> {
  const { out } = options;
  await prepareFolder(out);
  const journal = options.journal === true ? 'until_result' : 'none';
  return recordRun(settled, { ...namesOf(options), out, journal }, { stops, screen, watchStrays });
}

const namesOf = ({ label }: RunOptions) => ({ label: label ?? null, sitting: null, pair: null });

/** A failure that nothing awaits is handled by the process, as it would be without a run. */
const watchStrays: RunPorts['watchStrays'] = () => ({
  failed: new Promise(() => undefined),
  failure: () => undefined,
  hasJournal: () => undefined,
  release: () => undefined,
});

/** A mistake, here or in a function of the scenario, and a journal that could not be written: there is no result to rely on. */
function throwError(stop: Performed['stop']): void {
  if (stop !== undefined && 'error' in stop && stop.kind !== 'caller_error') throw stop.error;
}

const everyMs = 1000;

/** Follows the caller's signals, and gives the caller figures. */
class Watcher implements Ports {
  readonly stops: RunPorts['stops'];
  readonly screen: RunPorts['screen'];
  readonly #cut = new AbortController();
  readonly #cutSignal: AbortSignal | undefined;
  readonly #followCut = (): void => this.#cut.abort();
  /** Settles with all that the caller's functions have returned. */
  #called: Promise<unknown> = Promise.resolve();
  #failure: { thrown: unknown } | undefined;

  constructor({ signal, cutSignal, onProgress, onWarning }: RunOptions) {
    this.#cutSignal = cutSignal;
    if (cutSignal?.aborted === true) this.#cut.abort();
    cutSignal?.addEventListener('abort', this.#followCut);
    const drain = signal ?? new AbortController().signal;
    this.stops = { drain, cut: this.#cut.signal, signal: () => undefined };
    this.screen = {
      note: (text) => this.#call('onWarning', () => onWarning?.(text)),
      follow: (live) => {
        if (onProgress === undefined) return () => undefined;
        const timer = setInterval(() => this.#call('onProgress', () => onProgress(live())), everyMs);
        return () => clearInterval(timer);
      },
    };
  }

  /** Waits for the promises of the caller's functions. Throws what the first function to fail threw. */
  async finish(): Promise<void> {
    await this.#called;
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  release(): void {
    this.#cutSignal?.removeEventListener('abort', this.#followCut);
  }

  #call(name: keyof RunOptions, call: () => unknown): void {
    const called = (async () => await call())().catch((thrown: unknown) => this.#fail(name, thrown));
    this.#called = Promise.all([this.#called, called]);
  }

  #fail(name: keyof RunOptions, thrown: unknown): void {
    this.#failure ??= { thrown };
    this.#cut.abort(callerError(name, thrown));
  }
}

const callerError = (name: string, thrown: unknown): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `The function ${name} of the caller failed: ${messageOf(thrown)}`,
    hint: `Fix ${name} where runScenario is called.`,
    cause: thrown,
  });

const noFolder = (): ChatLoadError =>
  new ChatLoadError('usage', {
    message: 'The option journal needs a folder to write to.',
    hint: "Nothing was sent. Give out too: { out: 'results', journal: true }.",
  });
