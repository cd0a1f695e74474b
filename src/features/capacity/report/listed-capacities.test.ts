import { expect, onTestFinished, test } from 'vitest';
import { folderWith, listable, resultText } from '../../../../test/support/results-folder.ts';
import { openUi, type OpenUi } from '../../../app/ui/open-ui.ts';
import { ResultFolders } from '../../../app/ui/result-folders.ts';
import type { ResultsList } from '../../../report/page/list/list.ts';
import { capacitiesCompared } from '../test/compared-capacities.ts';
import { sampleCapacity } from '../test/sample-capacity.ts';

test('lists capacities and their comparisons with their answers, even if there is nothing else', async () => {
  const base = sampleCapacity();
  const { rows, problems } = await new ResultFolders([
    await folderWith({
      'capacity.json': base,
      'compared.json': capacitiesCompared(),
      'cut.json': resultText(base).slice(0, 2000),
      'newer.json': { ...base, schemaVersion: 9 },
    }),
  ]).list();
  expect(problems).toEqual([]);
  expect(Object.fromEntries(rows.map(({ file, ...row }) => [file, row]))).toEqual({
    'capacity.json': expect.objectContaining({ document: 'capacity', verdict: 'PASSED', label: 'v1.4' }),
    'compared.json': expect.objectContaining({
      document: 'comparison',
      verdict: 'FAILED',
      label: 'v1.5 against v1.4',
    }),
    'cut.json': expect.objectContaining({ verdict: 'UNREADABLE' }),
    'newer.json': expect.objectContaining({
      verdict: 'UNREADABLE',
      reason: expect.stringContaining('a capacity of schema version 9'),
    }),
  });
});

const titleOf = ({ body }: { body: string }): string | undefined => /<title>([^<]*)/.exec(body)?.[1];

async function ask({ address }: OpenUi, path: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`${address}${path}`);
  return { status: response.status, body: await response.text() };
}

async function open(folder: string): Promise<OpenUi> {
  const ui = await openUi({ folders: [folder], host: '127.0.0.1', port: 0 }, () => expect.unreachable());
  onTestFinished(ui.close);
  return ui;
}

async function idsOf(ui: OpenUi): Promise<string[]> {
  const list = JSON.parse((await ask(ui, 'results')).body) as ResultsList;
  return list.rows.map(({ id }) => id);
}

test('opens capacities as their page, alone, and compares two', async () => {
  const ui = await open(
    await folderWith({
      'a.json': sampleCapacity({}, { startedAt: '2026-01-02T02:00:00.000Z' }),
      'b.json': sampleCapacity({ places: 14 }, { startedAt: '2026-01-01T02:00:00.000Z' }),
      'run.json': listable({ startedAt: '2025-12-31T02:00:00.000Z' }),
    }),
  );
  const [a = '', b = '', run = ''] = await idsOf(ui);
  expect(titleOf(await ask(ui, `report?result=${a}`))).toMatch(/^Capacity: peak/);
  expect(titleOf(await ask(ui, `compare?base=${a}&head=${b}`))).toMatch(/^Capacity: peak, v1.4 against v1.4: FAILED/);
  const together = await ask(ui, `report?result=${a}&result=${b}`);
  expect([together.status, together.body]).toEqual([400, expect.stringContaining('A page shows one capacity')]);
  const mixed = await ask(ui, `compare?base=${run}&head=${a}`);
  expect([mixed.status, mixed.body]).toEqual([400, expect.stringContaining('cannot be compared with a capacity')]);
  expect(titleOf(await ask(ui, 'trend?folder=0'))).not.toMatch(/error/);
});
