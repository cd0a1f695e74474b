import { renderComparison, renderResult } from '../support/render-outline.ts';
import { writeFileSync } from 'node:fs';
import { readHistory } from '../../src/app/compare/perform-comparison.ts';
import { compareResults } from '../../src/compare/compare-results.ts';
import { readResultFacts, readResult } from '../../src/edge/disk/read-result.ts';
import { finishedRun, resultOf } from '../support/synthetic-result.ts';
import { plainStyle } from './plain-style.ts';
import { damagedTexts } from './damage.ts';
import { fuzz } from './fuzz.ts';
import { scratchFile } from './scratch-file.ts';
import { requireError } from './scenarios.ts';

const result = resultOf(finishedRun({ sessions: 12 }));

const history = {
  kind: 'chat-load/history',
  schemaVersion: 1,
  groups: [
    {
      scenario: { name: 'x', hash: 'h' },
      machineClass: 'm',
      loadHash: 'l',
      sittings: 2,
      runs: 4,
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-02T00:00:00Z',
      metrics: {
        'turn.p95': { runVariance: 1, runDegrees: 2, sittingVariance: null, sittingDegrees: 0, runsPerSitting: 2 },
      },
    },
  ],
};

const resultFile = scratchFile('result.json');
const historyFile = scratchFile('history.json');

export const resultFuzz = fuzz(
  { name: 'a result file is read, compared and shown, or named with a way out', runs: 150 },
  damagedTexts(result),
  async (bytes) => {
    writeFileSync(resultFile, bytes);
    const read = await readResult(resultFile).catch(requireError);
    if (read === undefined) return;
    renderResult(read, plainStyle);
    compareAndShow({ result: read, file: resultFile });
  },
);

function compareAndShow(head: { result: typeof result; file: string }): void {
  const sides = {
    base: { label: 'base', runs: [{ result, file: 'base.json' }] },
    head: { label: 'head', runs: [head] },
  };
  try {
    renderComparison(compareResults({ ...sides, toolVersion: '0.1.0', force: true }), plainStyle);
  } catch (thrown) {
    requireError(thrown);
  }
}

const requireReading = (reading: ReturnType<typeof readResultFacts>): void => {
  if ('problem' in reading && reading.problem === '') throw new Error('a problem without text');
};

export const factsFuzz = fuzz(
  { name: 'the facts of a result file are read, or its problem reported', runs: 250 },
  damagedTexts(result),
  (bytes) => {
    writeFileSync(resultFile, bytes);
    requireReading(readResultFacts(resultFile));
  },
);

export const historyFuzz = fuzz(
  { name: 'a history is read, or named with a way out', runs: 250 },
  damagedTexts(history),
  async (bytes) => {
    writeFileSync(historyFile, bytes);
    await readHistory(historyFile, '.').catch(requireError);
  },
);
