import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keepJournal } from '../../src/app/run/perform-run.ts';
import { instant } from '../../src/base/time.ts';
import { openJournal } from '../../src/edge/disk/write-journal.ts';
import { createRecorder } from '../../src/record/recorder.ts';
import type { Snapshot } from '../../src/record/snapshot.ts';
import type { GeneratorAccount, JournalHeader } from '../../src/result/journal/journal.ts';
import { makeFolder } from './command.ts';
import { healthy } from './synthetic-result.ts';
import { planFor, syntheticRun, tellAll } from './synthetic-run.ts';

export interface WrittenJournal {
  path: string;
  /** Lines without newlines: the header, the intervals, and the end entry of a finished run. */
  lines: string[];
  /** Final snapshot of the run itself. */
  snapshot: Snapshot;
}

const headerOf = (run: string, calibration: JournalHeader['calibration']): JournalHeader => ({
  kind: 'chat-load/journal',
  schemaVersion: 1,
  run: {
    id: run,
    salt: 'a0a0a0a0',
    label: null,
    sitting: null,
    pair: null,
    startedAt: '2026-01-31T14:25:30.123Z',
    toolVersion: '0.1.0',
  },
  plan: planFor({ sessions: 60 }),
  environment: null,
  calibration,
  warnings: [],
});

const accountNow = (): GeneratorAccount => ({ generator: healthy, samples: [], traffic: null, transport: null });

/** The journal of a synthetic run, as a run writes it. */
export async function writeSyntheticJournal(
  run = 'run-1',
  { sessions = 60, calibration = null }: { sessions?: number; calibration?: JournalHeader['calibration'] } = {},
): Promise<WrittenJournal> {
  const header = headerOf(run, calibration);
  const writer = await openJournal(join(await makeFolder(), 'synthetic.ndjson'), header);
  const journal = keepJournal({ writer }, { run, accountNow });
  const recorder = createRecorder({
    plan: header.plan,
    startedAt: instant(0),
    defer: () => undefined,
    onInterval: (piece) => journal.add(piece),
  });
  const told = syntheticRun({ sessions });
  tellAll(told, recorder);
  const endedAt = instant(Math.ceil(told.at(-1)?.at ?? 0));
  const snapshot = recorder.snapshot(endedAt);
  await journal.end({ elapsedMs: endedAt, stop: null }, accountNow());
  const lines = (await readFile(writer.path, 'utf8')).trimEnd().split('\n');
  return { path: writer.path, lines, snapshot };
}
