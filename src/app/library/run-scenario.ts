import { z } from 'zod';
import { messageOf, usageError } from '../../base/errors.ts';
import { prepareFolder } from '../../edge/disk/write-result.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import type { Live } from '../../record/live.ts';
import type { Result } from '../../result/result.ts';
import type { DataLists } from '../../scenario/scenario-values.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { performRun, type Performed } from '../run/perform-run.ts';
import { type Placed, recordRun, requirePlaced } from '../run/record-run.ts';
import type { RunPorts } from '../run/ports.ts';
import { abortSignal, callback, readOptions, type OptionsOf, resolveGiven, settingShape } from './resolve-given.ts';

const runShape = {
  ...settingShape,
  /** Name of the run in its result. */
  label: z.string().optional(),
  /** Drains the run when aborted: no new session starts, active ones may finish within `gracePeriod`; the status of the result is `interrupted`. */
  signal: abortSignal.optional(),
  /** Cuts active sessions when aborted. */
  cutSignal: abortSignal.optional(),
  /** Called with figures once per second during the run. If it throws or rejects, the run is cut and rejects with that error. */
  onProgress: callback<(progress: Live) => void | Promise<void>>().optional(),
  /** Called with warnings during the run. Errors are handled as for `onProgress`. */
  onWarning: callback<(text: string) => void | Promise<void>>().optional(),
  /** Folder for the result. Default: no file is written. */
  out: z.string().optional(),
  /** Write a journal to `out` during the run, and keep it if no result is written. Default: false. */
  journal: z.boolean().optional(),
};
export type RunOptions = OptionsOf<typeof runShape>;

/** Implements `runScenario` of the library. */
export async function runScenario<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  options: RunOptions = {},
): Promise<Result> {
  readOptions('runScenario', options, runShape);
  if (options.journal === true && options.out === undefined)
    throw usageError(
      'The option journal needs a folder to write to.',
      "Nothing was sent. Set out too: { out: 'results', journal: true }.",
    );
  const resolved = await resolveGiven(scenario, options);
  const watcher = new Watcher(options);
  try {
    const { result, stop, ...placed } = await perform(resolved, options, watcher);
    // The result is unreliable after a bug, a function of the scenario that threw, or an unwritable journal.
    if (stop !== undefined && 'error' in stop && stop.kind !== 'caller_error') throw stop.error;
    await watcher.finish();
    requirePlaced(placed, 'result');
    return result;
  } finally {
    watcher.release();
  }
}

type Ports = Pick<RunPorts, 'stops' | 'screen'>;

async function perform(
  resolved: ResolvedScenario,
  { label, out, journal }: RunOptions,
  { stops, screen }: Ports,
): Promise<Performed & Partial<Placed>> {
  const names = { label: label ?? null, sitting: null, pair: null };
  if (out === undefined)
    return performRun(resolved, {
      ...names,
      stops,
      note: (text) => screen.note(text),
      show: (live) => screen.follow(live, resolved),
    });
  await prepareFolder(out);
  const place = { ...names, out, journal: journal === true ? ('until_result' as const) : ('none' as const) };
  return recordRun(resolved, place, { stops, screen, watchStrays });
}

/** Failures that nothing awaits are handled by the process, as without a run. */
const watchStrays: RunPorts['watchStrays'] = () => ({
  failed: new Promise(() => undefined),
  failure: () => undefined,
  hasJournal: () => undefined,
  release: () => undefined,
});

/** Forwards the caller's signals to the run, and figures to the caller. */
class Watcher implements Ports {
  readonly stops: RunPorts['stops'];
  readonly screen: RunPorts['screen'];
  readonly #cut = new AbortController();
  readonly #cutSignal: AbortSignal | undefined;
  readonly #followCut = (): void => this.#cut.abort();
  /** Resolves after all promises returned by the caller's functions. */
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
        const timer = setInterval(() => this.#call('onProgress', () => onProgress(live())), 1000);
        return () => clearInterval(timer);
      },
    };
  }

  /** Waits for the promises of the caller's functions. Throws the error of the first function that failed. */
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
    this.#cut.abort(
      usageError(
        `The callback ${name} failed: ${messageOf(thrown)}`,
        `Fix ${name} in the options of runScenario.`,
        thrown,
      ),
    );
  }
}
