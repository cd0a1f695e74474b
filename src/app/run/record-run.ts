import { join, relative, resolve } from 'node:path';
import { messageOf, ChatLoadError } from '../../base/errors.ts';
import { ms } from '../../base/time.ts';
import { forgetLiveAddress, keepLiveAddress } from '../../edge/disk/live-address.ts';
import { openJournal, type JournalWriter } from '../../edge/disk/write-journal.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { journalFileName, resultFileName } from '../../result/file-name.ts';
import { performRun, type Performed } from './perform-run.ts';
import type { RunNames } from './publish-run.ts';
import type { RunPorts } from './ports.ts';
import { tmpdir } from 'node:os';
import { printableJson } from '../../base/printable.ts';
import { writeUnderFreeName } from '../../edge/disk/write-result.ts';

/** Names of a run, and the place of its result. */
export interface RunPlace extends RunNames {
  out: string;
  journal: 'none' | 'until_result' | 'kept';
}

export interface Recorded extends Performed, Placed {}

/**
 * Performs a run with progress on a screen, and writes its result under a free name. The journal exists until the result
 * is written, and is kept after any failure.
 */
export async function recordRun(
  resolved: ResolvedScenario,
  { out, journal: keeping, ...facts }: RunPlace,
  { stops, screen, watchStrays, live, observers, fleet }: RunPorts,
): Promise<Recorded> {
  const scenario = resolved.plan.name;
  let journal: JournalWriter | undefined;
  const noAddress = (thrown: unknown): void =>
    screen.note(`The address of the live page could not be stored next to the journal: ${messageOf(thrown)}`);
  const strays = watchStrays(scenario);
  try {
    const performed = await performRun(resolved, {
      ...facts,
      stops,
      note: (text) => screen.note(text),
      show: (live) => screen.follow(live, resolved),
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
      screen.note(`No result was written. To build it from the journal: chat-load recover ${journal.path}`);
    throw thrown;
  } finally {
    strays.release();
    if (journal !== undefined && live !== undefined) await forgetLiveAddress(journal.path).catch(noAddress);
  }
}

/** Returns the stop for a failure just after the run: the result is kept, and the command fails. */
const stopBy = (error: ChatLoadError | undefined, { result }: Performed): Performed['stop'] =>
  error && { kind: 'scenario_error', error, atMs: ms(result.run.durationMs) };

export function newSitting(): string {
  return `${new Date().toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '')}-${Math.floor(Math.random() * 0x10000)
    .toString(16)
    .padStart(4, '0')}`;
}

export interface Placed {
  /** Path relative to the working directory. */
  path: string;
  /** Set if the document could not be written to the requested folder. */
  misplaced: ChatLoadError | undefined;
}

/**
 * Writes a result to its folder under a free name. If that fails, because the folder was removed or the disk is full, it is
 * written to the working directory, or else to the system's temporary folder. Throws the first environment error if it
 * cannot be written anywhere.
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

/** Throws if a document was not written to the requested folder, with its actual path. */
export function requirePlaced({ misplaced, path = '' }: Partial<Placed>, noun: string): void {
  if (misplaced === undefined) return;
  const hint = `The ${noun} was written elsewhere: ${path}`;
  throw new ChatLoadError(misplaced.code, { message: misplaced.message, hint, cause: misplaced });
}
