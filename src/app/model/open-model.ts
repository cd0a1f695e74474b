import { fork } from 'node:child_process';
import { ChatLoadError, messageOf } from '../../base/errors.ts';
import { pathInPackage } from '../../edge/path-in-package.ts';
import type { AttemptFact } from '../../model-calls/attempt-facts.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import { endProcess, openCalls, type Caller } from '../../reference-service/calls.ts';
import type { Warning } from '../../result/sections/warning.ts';
import type { ModelStop } from '../../run-context.ts';
import type { ModelOwnerCalls, ModelProcessCalls, ModelRun, SeenCall } from './model-messages.ts';

/** Receivers of an active run's model calls. */
interface ModelListener {
  onInterval(part: number, piece: Snapshot): void;
  /** Called when all calls up to a time have been passed on. */
  onClosed(untilMs: number): void;
  /** Called when the process has ended by itself, or the maximum cost is reached. */
  onStop(stop: ModelStop): void;
  /** Called once if this many turns have ended without a call. */
  onUnused(turns: number): void;
  /** Called at the end for spans of model calls that did not arrive. */
  onLostSpans(warning: Warning): void;
}
/** The model service of a run, in a process of its own. */
export interface OpenModel {
  host: string;
  port: number;
  pid: number;
  /** Begins to count calls as those of a run. */
  begin(run: ModelRun, listener: ModelListener): void;
  take(facts: readonly AttemptFact[]): void;
  /** Ends the count, and returns it by part. Resolves with `undefined` if the process has ended by itself. */
  end(elapsedMs: number): Promise<readonly Snapshot[] | undefined>;
  seen(): Promise<SeenCall[]>;
  close(): Promise<void>;
}

/** Number of seconds without an answer after which the process is ended. */
const maxSilence = 10;

/** Starts the model service of a scenario. Throws an environment error if it cannot listen on its port. */
export async function openModel({
  model: options,
  modelPrices: prices,
  plan,
  secrets,
}: ResolvedScenario): Promise<OpenModel | undefined> {
  if (options === undefined) return undefined;
  const child = fork(pathInPackage('dist/app/model/model-process.js'), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const { call, answer } = openCalls<ModelProcessCalls>(child);
  let listener: ModelListener | undefined;
  const stop = (reason: ModelStop): void => listener?.onStop(reason);
  let [isClosing, silence] = [false, 0];
  const ended = new Promise<never>((_, reject) =>
    child.once('exit', (code, signal) => {
      clearInterval(watch);
      const how =
        silence > maxSilence
          ? `did not answer for ${String(maxSilence)} s`
          : `ended by itself (${signal ?? `code ${String(code)}`})`;
      const why = `the process of the model service ${how}`;
      if (!isClosing) stop({ kind: 'model_lost', why });
      reject(new ChatLoadError('environment', { message: why, hint: 'Run it again; report a bug if it recurs.' }));
    }),
  );
  ended.catch(() => undefined);
  const ours: ModelOwnerCalls = {
    interval: ({ part, piece }) => listener?.onInterval(part, piece),
    closed: (untilMs) => listener?.onClosed(untilMs),
    costReached: (nanos) =>
      stop({ kind: 'cap', of: 'cost', why: `the model calls have cost ${String(nanos / 1e9)}, the maximum (maxCost)` }),
    unused: (turns) => listener?.onUnused(turns),
    lostSpans: (warning) => listener?.onLostSpans(warning),
  };
  answer(ours);
  // Counts seconds that were asked for an answer, so that a suspension of this process does not end the other one.
  const watch = setInterval(() => {
    if (++silence > maxSilence) child.kill('SIGKILL');
    else void call('ping', undefined as never).then(() => (silence = 0));
  }, 1000);
  const ask: Caller<ModelProcessCalls> = (name, argument) => Promise.race([call(name, argument), ended]);
  const close = (): Promise<void> => {
    isClosing = true;
    clearInterval(watch);
    return endProcess(child);
  };
  const traced = secrets.redactDocument(plan);
  const { port } = await ask('open', { options, prices, allowHosts: plan.allowHosts, plan: traced }).catch(
    async (thrown: unknown) => {
      await close();
      throw explained(thrown);
    },
  );
  return {
    host: options.host,
    port,
    pid: child.pid ?? 0,
    begin: (run, given) => {
      listener = given;
      ask('begin', run).catch(() => undefined);
    },
    // Not raced with the end of the process, which would keep every call.
    take: (facts) => void call('take', facts).catch(() => undefined),
    end: (elapsedMs) => ask('end', { elapsedMs }).catch(() => undefined),
    seen: () => ask('seen', undefined as never),
    close,
  };
}

function explained(thrown: unknown): unknown {
  if (!(thrown instanceof ChatLoadError)) return thrown;
  return new ChatLoadError(thrown.code, {
    message: `the model service is not available: ${messageOf(thrown)}`,
    hint: thrown.hint,
    cause: thrown,
  });
}
