import { join, relative, resolve } from 'node:path';
import { messageOf, ChatLoadError } from '../../base/errors.ts';
import { ms } from '../../base/time.ts';
import { forgetLiveAddress, keepLiveAddress } from '../../edge/disk/live-address.ts';
import { openJournal, type JournalWriter } from '../../edge/disk/write-journal.ts';
import type { Settled } from '../../plan/settle.ts';
import { journalFileName, resultFileName } from '../../result/file-name.ts';
import type { RunFacts } from '../../result/sections/run-facts.ts';
import { performRun, type Performed } from './perform-run.ts';
import type { RunPorts, Stops } from './ports.ts';
import { isOrderly } from '../../result/exit-code.ts';
import { tmpdir } from 'node:os';
import { printableJson } from '../../base/printable.ts';
import { writeUnderFreeName } from '../../edge/disk/write-result.ts';

/** How a run is called, and where its result goes. */
export interface RunPlace extends Pick<RunFacts, 'label' | 'sitting' | 'pair'> {
  /** The folder for the result file. */
  out: string;
  /** Whether there is a journal while the run goes on, and whether it stays beside the result. */
  journal: 'none' | 'until_result' | 'kept';
}

export interface Recorded extends Performed, Placed {}

/**
 * Performs a run, followed on a screen, and writes its result beside those that are there. Until it is written, there
 * is the journal; on any failure the journal is kept.
 */
export async function recordRun(
  settled: Settled,
  { out, journal: keeping, ...facts }: RunPlace,
  { stops, screen, watchStrays, live, observers, fleet }: RunPorts,
): Promise<Recorded> {
  const scenario = settled.plan.name;
  let journal: JournalWriter | undefined;
  const noAddress = (thrown: unknown): void =>
    screen.note(`The address of the live page beside the journal: ${messageOf(thrown)}`);
  const strays = watchStrays(scenario);
  try {
    const performed = await performRun(settled, {
      ...facts,
      stops,
      note: (text) => screen.note(text),
      show: (live) => screen.follow(live, settled),
      strayFailed: strays.failed,
      live,
      observers,
      fleet,
      openJournal: async (header) => {
        if (keeping === 'none') return undefined;
        journal = await openJournal(join(out, journalFileName({ scenario, ...header.run })), header);
        strays.hasJournal(journal.path);
        if (live !== undefined) await keepLiveAddress(journal.path, live.address).catch(noAddress);
        return journal;
      },
    });
    const name = resultFileName({ scenario, ...performed.result.run });
    const placed = await placeResult(performed.result, { folder: out, name });
    if (keeping === 'until_result')
      await journal
        ?.remove()
        .catch((thrown: unknown) => screen.note(`The journal could not be removed: ${messageOf(thrown)}`));
    return { ...performed, ...placed, stop: performed.stop ?? stopBy(strays.failure(), performed) };
  } catch (thrown) {
    if (journal !== undefined)
      screen.note(`There is no result, but there is a journal: chat-load recover ${journal.path}`);
    throw thrown;
  } finally {
    strays.release();
    if (journal !== undefined && live !== undefined) await forgetLiveAddress(journal.path).catch(noAddress);
  }
}

/** What failed just after the run had ended: the result is kept, and the command fails. */
const stopBy = (error: ChatLoadError | undefined, { result }: Performed): Performed['stop'] =>
  error && { kind: 'scenario_error', error, atMs: ms(result.run.durationMs) };

/** A name for runs made back to back, which no other sitting has. */
export function newSitting(): string {
  return `${new Date().toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '')}-${Math.floor(Math.random() * 0x10000)
    .toString(16)
    .padStart(4, '0')}`;
}

/** Runs of one scenario back to back, in one sitting. */
export interface Repetition extends RunPorts {
  count: number;
  /** The scenario as the run with this index, from 0, plays it. */
  settle: (index: number) => Promise<Settled>;
  place: Omit<RunPlace, 'sitting'>;
  /** Called after every run: `run 2 of 5`. */
  ended: (name: string, recorded: Recorded) => Promise<void>;
  /** Called with the reason when a run has no result; that run is the last. */
  failed: (name: string, thrown: unknown) => void;
}

export interface Repeated {
  /** Runs that have ended. */
  runs: number;
  /** Why not every run was begun; `undefined` when every one was. */
  endedEarly: string | undefined;
}

/** Performs and records runs until there are as many as asked, or one is stopped by something other than a limit of the scenario. */
export async function repeatRuns(repetition: Repetition): Promise<Repeated> {
  const { count, settle, ended, failed, stops } = repetition;
  const place = { ...repetition.place, sitting: newSitting() };
  let runs = 0;
  let reason: string | undefined;
  while (runs < count && reason === undefined) {
    const name = `run ${String(runs + 1)} of ${String(count)}`;
    try {
      const recorded = await recordRun(await settle(runs), place, repetition);
      await ended(name, recorded);
      runs += 1;
      reason = endOfSitting(recorded, stops);
    } catch (thrown) {
      failed(name, thrown);
      reason = 'the next one failed';
    }
  }
  return { runs, endedEarly: runs < count ? reason : undefined };
}

/** Why no further run is begun; `undefined`: one is. */
function endOfSitting({ result: { run } }: Recorded, stops: Stops): string | undefined {
  if (run.stop !== null && !isOrderly(run.stop)) return run.stop.reason;
  return stops.signal() === undefined ? undefined : 'a signal stopped it';
}

/** Where a result, or another document that was measured, is. */
export interface Placed {
  /** As seen from the working directory. */
  path: string;
  /** Why it is not in the folder that was asked for; `undefined` when it is. */
  misplaced: ChatLoadError | undefined;
}

/**
 * Writes a result to its folder under a free name. Where that fails, since the folder was removed or the disk is full,
 * it goes to the working directory, and failing that to the system's folder for temporary files. Throws the first
 * environment error when it cannot be written anywhere.
 */
export async function placeResult(result: object, { folder, name }: { folder: string; name: string }): Promise<Placed> {
  const text = `${printableJson(result, 1)}\n`;
  const folders = [...new Set([folder, '.', tmpdir()].map((each) => resolve(each)))];
  let misplaced: ChatLoadError | undefined;
  for (const each of folders) {
    try {
      return { path: relative('.', await writeUnderFreeName(join(each, name), text)), misplaced };
    } catch (thrown) {
      if (!(thrown instanceof ChatLoadError)) throw thrown;
      misplaced ??= thrown;
    }
  }
  throw misplaced ?? new Error('there was no folder to write to');
}

/** Throws the reason why a document is not in the folder that was asked for, if so, with the place where it is; `noun`: what it is. */
export function requirePlaced({ misplaced, path = '' }: Partial<Placed>, noun: string): void {
  if (misplaced === undefined) return;
  const hint = `The ${noun} was written elsewhere: ${path}`;
  throw new ChatLoadError(misplaced.code, { message: misplaced.message, hint, cause: misplaced });
}
