import { join } from 'node:path';
import { messageOf, type ChatLoadError } from '../../base/errors.ts';
import { ms } from '../../base/time.ts';
import { forgetLiveAddress, keepLiveAddress } from '../../edge/disk/live-address.ts';
import { openJournal, type JournalWriter } from '../../edge/disk/write-journal.ts';
import type { Settled } from '../../plan/settle.ts';
import { journalFileName, resultFileName } from '../../result/file-name.ts';
import type { RunFacts } from '../../result/sections/run-facts.ts';
import { performRun, type Performed } from './perform-run.ts';
import { placeResult, type Placed } from './place-result.ts';
import type { RunPorts } from './ports.ts';

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
