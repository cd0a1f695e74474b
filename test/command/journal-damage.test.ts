import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { ChatLoadError } from '../../src/base/errors.ts';
import { performRecovery } from '../../src/app/recover.ts';
import { resultSchema, type Result } from '../../src/result/result.ts';
import { makeFolder } from '../support/command.ts';
import { resultOf } from '../support/synthetic-result.ts';
import { writeSyntheticJournal, type WrittenJournal } from '../support/synthetic-journal.ts';

let journal: WrittenJournal;
let file: string;

beforeAll(async () => {
  journal = await writeSyntheticJournal();
  file = join(await makeFolder(), 'damaged.ndjson');
});

async function recover(content: string | Uint8Array): Promise<Result> {
  await writeFile(file, content);
  return performRecovery(file);
}

const recoverLines = (lines: readonly string[], end = '\n'): Promise<Result> => recover(lines.join('\n') + end);
const warningsOf = ({ warnings }: Result): string[] => warnings.map(({ message }) => message);

/** Returns the line with changed content and a recomputed checksum. */
function rewritten(line: string, change: (entry: Entry) => void): string {
  const { entry } = JSON.parse(line) as { entry: Entry };
  change(entry);
  const text = JSON.stringify(entry);
  return `{"sum":"${crc32(text).toString(16).padStart(8, '0')}","entry":${text}}`;
}

interface Entry {
  run: string | Record<string, unknown>;
  number: number;
  schemaVersion: number;
  plan: Record<string, unknown>;
  piece: { intervals: { policy: number; series: Record<string, { hdr: string }> }[] };
}

/** Number of attempts in an interval's line. */
const attemptsIn = (line: string): number => {
  const { entry } = JSON.parse(line) as {
    entry: { piece?: { intervals: { counters: { exchanges?: { attempts?: number } } }[] } };
  };
  return (entry.piece?.intervals ?? []).reduce((sum, each) => sum + (each.counters.exchanges?.attempts ?? 0), 0);
};
const attemptsOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + attemptsIn(line), 0);

describe('a recovered result', () => {
  test('is complete for a completed run, without a warning', async () => {
    const { header, recovered } = { header: journal.lines[0] ?? '', recovered: await recoverLines(journal.lines) };
    const { plan } = (JSON.parse(header) as { entry: { plan: Result['scenario']['plan'] } }).entry;
    const own = resultOf({ plan, snapshot: journal.snapshot });
    expect(recovered.warnings).toEqual([]);
    expect(recovered.run).toMatchObject({ status: 'recovered', durationMs: own.run.durationMs, stop: null });
    for (const section of ['outcomes', 'latency', 'positions', 'retries', 'rates', 'integrity', 'examples'] as const)
      expect([section, withoutTraffic(recovered[section])]).toEqual([section, withoutTraffic(own[section])]);
    expect(recovered.books).toEqual(own.books);
    expect(recovered.generator).toEqual(own.generator);
  });

  test('contains the recorded part of an interrupted run, and lists the missing parts', async () => {
    const lines = journal.lines.slice(0, 4);
    const result = await recoverLines(lines);
    expect(warningsOf(result)).toEqual(['The run died: what happened from 3 s on is missing.']);
    expect([result.run.durationMs, result.run.endedAt]).toEqual([3000, '2026-01-31T14:25:33.123Z']);
    expect(result.books.attempts.total).toBe(attemptsOf(lines));
    expect(resultSchema.parse(result)).toEqual(result);
  });

  test('is an empty result of a run that died before its first interval was closed', async () => {
    const result = await recoverLines(journal.lines.slice(0, 1));
    expect([result.run.durationMs, result.validity.verdict, result.intervals]).toEqual([0, 'invalid', []]);
    expect(warningsOf(result)).toEqual(['The run died: what happened from 0 s on is missing.']);
    expect(resultSchema.parse(result)).toEqual(result);
  });
});

const withoutTraffic = (section: object): object => ({ ...section, traffic: null });

describe('damaged lines', () => {
  test('an incomplete last line is expected', async () => {
    const result = await recoverLines(journal.lines.slice(0, 5), '\n{"sum":"0123');
    expect(warningsOf(result)).toEqual([
      'The run died: the last interval, from 4 s on, is missing. Line 6, the last, is torn.',
    ]);
  });

  test.each<[string, (line: string) => string]>([
    ['cut', (line) => line.slice(0, 200)],
    ['changed', (line) => line.replace('"warmUp":false', '"warmUp":true ')],
    [
      'of another checksum',
      (line) => line.replace(/"sum":"./, (sum) => sum.slice(0, -1) + (sum.endsWith('0') ? '1' : '0')),
    ],
    ['empty', () => ''],
    ['of no use', (line) => rewritten(line, (entry) => Reflect.deleteProperty(entry, 'piece'))],
    [
      'of a retry policy that the plan does not have',
      (line) => rewritten(line, ({ piece }) => piece.intervals.forEach((each) => (each.policy = 7))),
    ],
    [
      'with a part of such a policy next to a known one',
      (line) =>
        rewritten(line, ({ piece }) =>
          piece.intervals.push(...piece.intervals.map((each) => ({ ...each, policy: 7 }))),
        ),
    ],
    [
      'with a histogram that is none',
      (line) =>
        rewritten(line, ({ piece }) =>
          Object.values(piece.intervals[0]?.series ?? {}).forEach((each) => (each.hdr = 'AAAA')),
        ),
    ],
  ])('a line in the middle that is %s is named by its number and omitted', async (_, damage) => {
    const lines = journal.lines.with(3, damage(journal.lines[3] ?? ''));
    const result = await recoverLines(lines);
    expect(warningsOf(result)).toEqual([
      'Interval 3 (2 s to 3 s) is missing: their events are absent from counts and rates, which are too low.',
      'In the journal, line 4 is damaged: skipped.',
    ]);
    expect(result.warnings.map(({ code }) => code)).toEqual(['journal_incomplete', 'journal_incomplete']);
    expect(result.books.attempts.total).toBe(attemptsOf(journal.lines.toSpliced(3, 1)));
  });

  test('several are named together, consecutive lines as one range', async () => {
    const last = journal.lines.length - 1;
    const lines = journal.lines.map((line, at) => ([2, 4, 5, 6].includes(at) ? line.slice(1) : line));
    const result = await recoverLines(lines.slice(0, last));
    expect(warningsOf(result).slice(1)).toEqual([
      'Intervals 2 (1 s to 2 s) and 4 to 6 (3 s to 6 s) are missing: their events are absent from counts and rates, which are too low.',
      'In the journal, lines 3 and 5 to 7 are damaged: skipped.',
    ]);
  });

  test('missing lines are reported by the numbers of their intervals, including those at the end', async () => {
    const end = journal.lines.length - 1;
    const result = await recoverLines(journal.lines.filter((_, at) => at !== 2 && at !== end - 1));
    expect(warningsOf(result)[0]).toMatch(
      new RegExp(`^Intervals 2 \\(1 s to 2 s\\) and ${String(end - 1)} \\(.* s to .* s\\) are missing`),
    );
  });

  test('lines that were swapped are counted, and named', async () => {
    const [header = '', one = '', two = '', ...rest] = journal.lines;
    const result = await recoverLines([header, two, one, ...rest]);
    expect(result.warnings).toMatchObject([
      {
        code: 'journal_disordered',
        message: 'In the journal, line 3 is in the wrong place: counted anyway.',
      },
    ]);
    expect(result.books.attempts.total).toBe(attemptsOf(journal.lines));
  });

  test('duplicate lines count once', async () => {
    const result = await recoverLines([...journal.lines.slice(0, 4), ...journal.lines.slice(2)]);
    expect(warningsOf(result)).toEqual(['In the journal, lines 5 to 6 repeat earlier content: counted once.']);
    expect(result.books.attempts.total).toBe(attemptsOf(journal.lines));
  });

  test('lines of another run are omitted', async () => {
    const other = await writeSyntheticJournal('run-2', { sessions: 90 });
    const result = await recoverLines([...journal.lines, ...other.lines]);
    const [from, to] = [journal.lines.length + 1, journal.lines.length + other.lines.length];
    expect(warningsOf(result)).toEqual([
      `In the journal, lines ${String(from)} to ${String(to)} belong to another run: skipped.`,
    ]);
    expect(result.books.attempts.total).toBe(attemptsOf(journal.lines));
  });
});

describe('files that cannot be recovered', () => {
  test.each<[string, RegExp, () => string]>([
    ['is empty', /is empty/, () => ''],
    ['is not a journal', /is not a journal of chat-load, or its first line is damaged/, () => 'hello\nworld\n'],
    ['is a result', /is not a journal of chat-load/, () => JSON.stringify({ kind: 'chat-load/result' }, null, 1)],
    ['has half a header', /first line is cut off/, () => (journal.lines[0] ?? '').slice(0, 500)],
    [
      'has a damaged header',
      /first line is damaged/,
      () => journal.lines.with(0, `${journal.lines[0] ?? ''} `).join('\n'),
    ],
    ['has lost its header', /has lost its first line/, () => journal.lines.slice(1).join('\n')],
    [
      'is of a newer version',
      /is a journal of schema version 2; this chat-load reads 1/,
      () => rewritten(journal.lines[0] ?? '', (entry) => (entry.schemaVersion = 2)),
    ],
    [
      'is of an older version',
      /is a journal of schema version 0; this chat-load reads 1/,
      () => rewritten(journal.lines[0] ?? '', (entry) => (entry.schemaVersion = 0)),
    ],
    [
      'does not contain the plan',
      /is not a whole journal: plan/,
      () => rewritten(journal.lines[0] ?? '', (entry) => Reflect.deleteProperty(entry, 'plan')),
    ],
    [
      'has a gate that nobody can read',
      /gates/,
      () => rewritten(journal.lines[0] ?? '', ({ plan }) => (plan['gates'] = { nothing: '< 1' })),
    ],
    ['is binary', /is not a journal/, () => '\u0000\u0001\u0002'.repeat(1000)],
  ])('a journal that %s', async (_, message, content) => {
    await expect(recover(content())).rejects.toThrow(message);
    await expect(recover(content())).rejects.toMatchObject({ code: 'usage' });
  });

  test.each([
    [2, 'upgrade'],
    [0, 'use the chat-load that wrote it'],
  ])('a journal of version %i, with a remedy', async (schemaVersion, hint) => {
    const text = rewritten(journal.lines[0] ?? '', (entry) => (entry.schemaVersion = schemaVersion));
    await expect(recover(text)).rejects.toMatchObject({ hint: expect.stringContaining(hint) as string });
  });

  test('a missing file, and a folder', async () => {
    await expect(performRecovery(join(await makeFolder(), 'none.ndjson'))).rejects.toThrow(/cannot be read/);
    await expect(performRecovery(await makeFolder())).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('after any change to the bytes of a journal', () => {
  /** Recovered with a warning and with the counts of the lines that are whole, or named in an error. */
  async function expectNoSilence(bytes: Uint8Array): Promise<void> {
    const result = await recover(bytes).catch((thrown: unknown) => {
      expect(thrown).toBeInstanceOf(ChatLoadError);
      expect((thrown as ChatLoadError).message).toContain('damaged.ndjson');
    });
    if (result === undefined) return;
    const whole = new Set(Buffer.from(bytes).toString('latin1').split('\n'));
    const kept = journal.lines.filter((line) => whole.has(line));
    expect(result.warnings.length).toBeGreaterThan(0);
    expect(result.books.attempts.total).toBe(attemptsOf(kept));
  }

  const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const original = (): Buffer => Buffer.from(`${journal.lines.join('\n')}\n`, 'latin1');

  test('a byte that changes is reported', async () => {
    await fc.assert(
      fc.asyncProperty(place, fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const bytes = original();
        const index = Math.floor(at * bytes.length);
        bytes[index] = (bytes[index] ?? 0) ^ flip;
        // The newline after the last line is the only byte without information.
        fc.pre(index < bytes.length - 1);
        await expectNoSilence(bytes);
      }),
      { numRuns: 150, seed: 61 },
    );
  });

  test('a cut is reported', async () => {
    await fc.assert(
      fc.asyncProperty(place, async (at) => {
        const bytes = original();
        await expectNoSilence(bytes.subarray(0, Math.floor(at * (bytes.length - 1))));
      }),
      { numRuns: 100, seed: 62 },
    );
  });

  test('a part that is zeroed, as after a power cut, or removed is reported', async () => {
    await fc.assert(
      fc.asyncProperty(place, fc.integer({ min: 1, max: 9000 }), fc.boolean(), async (at, length, isZeroed) => {
        const bytes = original();
        const from = Math.floor(at * (bytes.length - 1));
        if (isZeroed) await expectNoSilence(Buffer.from(bytes).fill(0, from, Math.min(from + length, bytes.length)));
        else await expectNoSilence(Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)]));
      }),
      { numRuns: 150, seed: 63 },
    );
  });
});
