import { ChatLoadError } from '../../base/errors.ts';
import { prepareFolder } from '../../edge/disk/write-result.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Live } from '../../record/live.ts';
import type { Result } from '../../result/result.ts';
import type { DataLists, Scenario } from '../../scenario/scenario.ts';
import { performRun, type Performed } from '../run/perform-run.ts';
import type { RunPorts } from '../run/ports.ts';
import { recordRun, type Recorded } from '../run/record-run.ts';
import { settleGiven, type ScenarioSettings } from './settle-given.ts';

export interface RunOptions extends ScenarioSettings {
  /** What the run is called in its result. */
  label?: string | undefined;
  /** Once aborted, no new session starts and what is under way may finish within `gracePeriod`. The result says `interrupted`. */
  signal?: AbortSignal | undefined;
  /** Once aborted, what is under way is cut. */
  cutSignal?: AbortSignal | undefined;
  /** Is given figures once a second while the run goes on. What it throws cuts the run and rejects. */
  onProgress?: ((progress: Live) => void) | undefined;
  /** Is given what should be known before the end, as a sentence. */
  onWarning?: ((text: string) => void) | undefined;
  /** The folder to write the result to. Default: no file is written. */
  out?: string | undefined;
  /** Keep a journal in `out` while the run goes on, and leave it there when there is no result. Default: false. */
  journal?: boolean | undefined;
}

/**
 * Runs a scenario in this process and resolves with its result, whatever the verdicts on it. Leaves nothing behind in
 * the process: no listener, no timer, no handle, no changed setting. Rejects with `ChatLoadError`: usage for a scenario
 * or an option that is wrong or a function of the scenario that threw, environment for a target that cannot be reached
 * or a result that cannot be written where it should be.
 */
export async function runScenario<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  options: RunOptions = {},
): Promise<Result> {
  if (options.journal === true && options.out === undefined) throw noFolder();
  const settled = await settleGiven(scenario, options);
  const watcher = new Watcher(options);
  try {
    const performed = await (options.out === undefined
      ? performOnly(settled, options, watcher)
      : performRecorded(settled, { ...options, out: options.out }, watcher));
    watcher.throwFailure();
    return performed.result;
  } finally {
    watcher.release();
  }
}

type Ports = Pick<RunPorts, 'stops' | 'screen'>;

async function performOnly(settled: Settled, options: RunOptions, { stops, screen }: Ports): Promise<Performed> {
  const performed = await performRun(settled, {
    ...namesOf(options),
    stops,
    note: (text) => screen.note(text),
    show: (live) => screen.follow(live, settled),
  });
  throwError(performed.stop);
  return performed;
}

async function performRecorded(
  settled: Settled,
  options: RunOptions & { out: string },
  { stops, screen }: Ports,
): Promise<Recorded> {
  const { out } = options;
  await prepareFolder(out);
  const journal = options.journal === true ? 'until_result' : 'none';
  const recorded = await recordRun(settled, { ...namesOf(options), out, journal }, { stops, screen, watchStrays });
  const { path, misplaced } = recorded;
  throwError(recorded.stop);
  if (misplaced === undefined) return recorded;
  const hint = `The result was written elsewhere: ${path}`;
  throw new ChatLoadError(misplaced.code, { message: misplaced.message, hint, cause: misplaced });
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
  if (stop !== undefined && 'error' in stop) throw stop.error;
}

const everyMs = 1000;

/** Follows the caller's signals, and gives the caller figures. */
class Watcher implements Ports {
  readonly stops: RunPorts['stops'];
  readonly screen: RunPorts['screen'];
  readonly #cut = new AbortController();
  readonly #cutSignal: AbortSignal | undefined;
  readonly #followCut = (): void => this.#cut.abort();
  #failure: { thrown: unknown } | undefined;

  constructor({ signal, cutSignal, onProgress, onWarning }: RunOptions) {
    this.#cutSignal = cutSignal;
    if (cutSignal?.aborted === true) this.#cut.abort();
    cutSignal?.addEventListener('abort', this.#followCut);
    const drain = signal ?? new AbortController().signal;
    this.stops = { drain, cut: this.#cut.signal, signal: () => undefined };
    this.screen = {
      note: (text) => this.#call(() => onWarning?.(text)),
      follow: (live) => {
        if (onProgress === undefined) return () => undefined;
        const timer = setInterval(() => this.#call(() => onProgress(live())), everyMs);
        return () => clearInterval(timer);
      },
    };
  }

  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  release(): void {
    this.#cutSignal?.removeEventListener('abort', this.#followCut);
  }

  #call(call: () => void): void {
    try {
      call();
    } catch (thrown) {
      this.#failure ??= { thrown };
      this.#cut.abort();
    }
  }
}

const noFolder = (): ChatLoadError =>
  new ChatLoadError('usage', {
    message: 'The option journal needs a folder to write to.',
    hint: "Nothing was sent. Give out too: { out: 'results', journal: true }.",
  });
