import { renderResult } from '../support/render-outline.ts';
import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { instant } from '../../src/base/time.ts';
import { performRecovery } from '../../src/app/recover.ts';
import { encodeLine } from '../../src/edge/disk/lines.ts';
import { createRecorder } from '../../src/record/recorder.ts';
import type { Snapshot } from '../../src/record/snapshot.ts';
import type { GeneratorAccount, JournalEntry, JournalHeader } from '../../src/result/journal/journal.ts';
import { planFor, syntheticRun } from '../support/synthetic-run.ts';
import { alter, changes } from './damage.ts';
import { fuzz } from './fuzz.ts';
import { plainStyle } from './plain-style.ts';
import { requireError } from './scenarios.ts';
import { scratchFile } from './scratch-file.ts';

/** A journal as a run writes it: header, intervals, end. */
function journalEntries(): (JournalHeader | JournalEntry)[] {
  const plan = planFor({ sessions: 20 });
  const pieces = recordPieces(plan);
  const run = { id: 'run-1', salt: null, label: null, sitting: null, pair: null, startedAt, toolVersion: '0.1.0' };
  const elapsed = (piece: Snapshot): number => piece.elapsedMs;
  return [
    { kind: 'chat-load/journal', schemaVersion: 1, run, plan, environment: null, calibration: null, warnings: [] },
    ...pieces.map((piece, index): JournalEntry => ({
      kind: 'interval',
      run: run.id,
      number: index + 1,
      elapsedMs: elapsed(piece),
      piece: { ...piece, totals: [] },
      ...nobodyLooked,
    })),
    {
      kind: 'end',
      run: run.id,
      intervals: pieces.length,
      elapsedMs: Math.max(...pieces.map(elapsed)),
      stop: null,
      workers: null,
      ...nobodyLooked,
    },
  ];
}

const nobodyLooked: GeneratorAccount = { generator: null, samples: [], traffic: null, transport: null };

const startedAt = '2026-01-31T14:25:30.000Z';

function recordPieces(plan: JournalHeader['plan']): Snapshot[] {
  const pieces: Snapshot[] = [];
  const recorder = createRecorder({
    plan,
    startedAt: instant(0),
    defer: (work) => work(),
    onInterval: (piece) => pieces.push(piece),
  });
  let end = 0;
  for (const { at, tell } of syntheticRun({ sessions: 20, spreadMs: 4000 })) {
    recorder.roll(instant(at));
    tell(recorder);
    end = at;
  }
  recorder.snapshot(instant(end + 5000));
  return pieces.slice(0, 8);
}

const entries = journalEntries();
const file = scratchFile('journal.ndjson');

const damage = fc.record({
  /** Changes within entries, with valid checksums. */
  altered: fc.array(fc.tuple(fc.nat(), changes), { maxLength: 2 }),
  order: fc.array(fc.nat(), { maxLength: 3 }),
  flips: fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 3 }),
  cut: fc.option(fc.nat()),
});

export const journalFuzz = fuzz(
  { name: 'a journal is recovered, or named with a way out', runs: 120 },
  damage,
  async ({ altered, order, flips, cut }) => {
    const copies: object[] = structuredClone(entries);
    for (const [place, made] of altered) for (const change of made) alter(copies[place % copies.length], change);
    for (const place of order) copies.push(...copies.splice(place % copies.length, 1));
    const bytes = Buffer.concat(copies.map(encodeLine));
    for (const [at, byte] of flips) bytes[at % bytes.length] = byte;
    writeFileSync(file, cut === null ? bytes : bytes.subarray(0, cut % bytes.length));
    const result = await performRecovery(file).catch(requireError);
    if (result !== undefined) renderResult(result, plainStyle);
  },
);

/** Number of intervals in a complete journal, which shows that the property examines some. */
export const journaledIntervals = entries.length - 2;
