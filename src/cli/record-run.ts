import { join, relative } from 'node:path';
import { writeUnderFreeName } from '../edge/disk/write-result.ts';
import type { Settled } from '../plan/settle.ts';
import { resultFileName } from '../result/file-name.ts';
import type { RunFacts } from '../result/run-facts.ts';
import { performRun, type Performed } from './perform-run.ts';
import type { Screen } from './screen.ts';
import type { Stops } from './signals.ts';

/** How a run is called, and where its result goes. */
export interface RunPlace extends Pick<RunFacts, 'label' | 'sitting' | 'pair'> {
  /** The folder for the result file. */
  out: string;
}

export interface Recorded extends Performed {
  /** Where the result lies, as seen from the working directory. */
  path: string;
}

/** Performs a run, followed on a screen, and writes its result beside those that are there. */
export async function recordRun(
  settled: Settled,
  { out, ...facts }: RunPlace,
  { stops, screen }: { stops: Stops; screen: Screen },
): Promise<Recorded> {
  const performed = await performRun(settled, {
    ...facts,
    stops,
    note: (text) => screen.note(text),
    show: (live) => screen.follow(live, settled.plan),
  });
  const name = resultFileName({ scenario: settled.plan.name, ...performed.result.run });
  const file = await writeUnderFreeName(join(out, name), `${JSON.stringify(performed.result, null, 1)}\n`);
  return { ...performed, path: relative('.', file) };
}

/** A name for runs made back to back, which no other sitting has. */
export const newSitting = (): string =>
  `${new Date().toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '')}-${Math.floor(Math.random() * 0x10000)
    .toString(16)
    .padStart(4, '0')}`;
