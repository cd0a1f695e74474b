import { parse } from 'csv-parse/sync';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { blocksOf, rowsOf } from '../../../../test/support/page-parts.ts';
import { sampleCapacity } from '../test/sample-capacity.ts';
import { summarizeCapacity } from '../words/summarize.ts';
import { capacitySchema, searchOutcomes, type Capacity } from '../document/capacity.ts';
import { pageOf, renderDocument } from '../../../report/documents.ts';
import { plain } from '../../../report/words/table.ts';
import { curveRows } from './curve-section.ts';

const sample = sampleCapacity();
const rendered = async (document: Capacity, format: 'terminal' | 'markdown' | 'junit' | 'csv', width = 80) =>
  (await renderDocument(document, { format, style: { colors: picocolors.createColors(true), width } })) ?? '';
const words = (text: string): string => plain(text).replace(/\s+/g, ' ');

test('the sample is a whole document', () => {
  expect(capacitySchema.parse(sample)).toEqual(sample);
});

describe('a capacity on a terminal', () => {
  test('answers first, and ends with the same line', async () => {
    const lines = plain(await rendered(sample, 'terminal', 200)).split('\n');
    const answer =
      'PASSED, sustains 139 concurrent sessions, confirmed by 2 steps; fails at 152: turn.p95 was 2.34 s, limit 2 s';
    expect([lines[1], lines.at(-1)]).toEqual([answer, answer]);
  });

  test('marks the knee and the ends at their loads, and draws the limit', async () => {
    const text = plain(await rendered(sample, 'terminal'));
    expect(text).toMatch(/^ 128 .* knee$/m);
    expect(text).toMatch(/^ 139 .*█ *▉? *│.* PASSES$/m);
    expect(text).toMatch(/^ 152 .* FAILS$/m);
    expect(text).toMatch(/^ 256 .*» +x$/m);
  });

  test('explains why the figures are consistent, the capacity per day and the recovery of the service', async () => {
    const text = words(await rendered(sample, 'terminal'));
    expect(text).toContain('139 live sessions counted, 139 by Little’s law');
    expect(text).toContain('up to about 480,000 sessions, 1,900,000 turns per day');
    expect(text).toContain(
      'recovered at 32 concurrent sessions after step 9 within 12.0 s; no previously passing load failed',
    );
  });

  test('warns prominently if a load that held breaks later, or figures are inconsistent', async () => {
    const document = sampleCapacity(
      {},
      {
        hysteresis: { recoveries: [{ afterStep: 9, load: 32, recoveredMs: null }], brokeWhereItHeld: [128] },
        littlesLaw: { sessionsLive: 139, product: 90, agrees: false },
      },
    );
    const text = words(await rendered(document, 'terminal'));
    expect(text).toContain('did not recover at 32 concurrent sessions after step 9');
    expect(text).toContain('HYSTERESIS: 128 concurrent sessions passed before a failed step but not after it');
    expect(text).toContain('they differ by more than 10 %');
  });
});

describe('an outcome without an interval', () => {
  const others = searchOutcomes.filter((outcome) => outcome !== 'found');

  test('has its own text and remedy, in every readable format', async () => {
    const means = new Set<string>();
    for (const outcome of others) {
      const document = sampleCapacity({}, { outcome });
      const text = words(await rendered(document, 'terminal'));
      const [, meaning = '', remedy = ''] = /meaning (.+?) remedy (.+?) target https/.exec(text) ?? [];
      expect([meaning.length > 40, remedy.length > 20], outcome).toEqual([true, true]);
      means.add(meaning);
      expect(await rendered(document, 'junit'), outcome).toContain(remedy.slice(0, 30));
      expect(words(await rendered(document, 'markdown')).replaceAll('\\', ''), outcome).toContain(remedy.slice(0, 30));
    }
    expect(means.size).toBe(others.length);
  });

  test.each([
    ['found', 'PASSED'],
    ['holds_at_max', 'PASSED'],
    ['fails_at_min', 'FAILED'],
    ['not_recovered', 'FAILED'],
    ['generator_limited', 'INVALID'],
    ['undecided', 'INVALID'],
    ['bounded', 'INVALID'],
    ['interrupted', 'FAILED'],
    ['stopped', 'FAILED'],
  ] as const)('%s ends with %s', async (outcome, word) => {
    const text = await rendered(sampleCapacity({}, { outcome }), 'terminal');
    expect(text.split('\n').at(-1)).toMatch(new RegExp(`^${word}[,:] `));
  });

  test('advises to check key and path if it could not continue', async () => {
    const text = await rendered(sampleCapacity({}, { outcome: 'stopped' }), 'terminal');
    expect(text.replace(/\s+/g, ' ')).toMatch(
      /accepts the key and answers at the path of the base URL \(chat-load try/,
    );
  });

  test('names what could not be offered, by its step, and not the generator if another process used the processor', async () => {
    const reason =
      'turns were sent late: The generator used little CPU itself (6 % of a core); another process used the processor.';
    const steps = sample.steps.map((step) =>
      step.verdict === 'broken' ? { ...step, verdict: 'no_evidence' as const, reason } : step,
    );
    const [lowest] = steps.filter(({ verdict }) => verdict === 'no_evidence').toSorted((a, b) => a.load - b.load);
    const limited = { ...sample, outcome: 'generator_limited' as const, broken: null, steps };
    const summary = summarizeCapacity(limited);
    expect(summary).toContain(
      `not known: ${String(lowest?.load)} concurrent sessions could not be offered as planned (step ${String(lowest?.number)}); sustains 139`,
    );
    const text = words(await rendered({ ...limited, summary }, 'terminal', 200));
    expect(text).toContain('another process used the processor');
    expect(text).not.toMatch(/cannot send more|limit is in the generator/);
  });

  test.each<['holds' | 'broken', string, string]>([
    ['broken', 'Fails at', 'no load failed'],
    ['holds', 'Passes at', 'no load passed'],
  ])('has no statement that a step with the verdict %s contradicts', async (verdict, card, none) => {
    const of = sample.steps.filter((step) => step.verdict === verdict);
    const detailOf = async (capacity: Capacity) => {
      const page = await pageOf('chat-load/capacity', [capacity]);
      const figures = page === undefined ? [] : blocksOf(page, 'figures').flatMap((block) => block.figures);
      return figures.find(({ name }) => name === card)?.detail;
    };
    const open = { ...sample, [verdict]: null };
    expect(await detailOf(open)).toBe(
      `steps ${of.map(({ number }) => String(number)).join(', ')} ${verdict === 'holds' ? 'passed' : 'failed'} at ${[...new Set(of.map(({ load }) => `${String(load)} concurrent session${load === 1 ? '' : 's'}`))].join(', ')}, not confirmed`,
    );
    const steps = sample.steps.map((step) =>
      step.verdict === verdict ? { ...step, verdict: 'undecided' as const } : step,
    );
    expect(await detailOf({ ...open, steps })).toBe(none);
    expect(summarizeCapacity({ ...sample, holds: null, broken: null, steps: of })).toMatch(
      /judged with certainty: steps /,
    );
    expect(summarizeCapacity({ ...sample, holds: null, broken: null, steps: [] })).toBe('no load could be judged');
  });

  test('blames the generator in a text of its own, and never the service', async () => {
    const limited = { ...sample, outcome: 'generator_limited' as const, broken: null, summary: 'not known' };
    const steps = sample.steps.map((step) =>
      step.verdict === 'broken' ? { ...step, verdict: 'no_evidence' as const, reason: 'one core was busy.' } : step,
    );
    const text = words(await rendered({ ...limited, steps }, 'terminal'));
    expect(text).toContain("so the service's limit is unknown: one core was busy.");
    expect(text).toContain('The limit is not in the service.');
    expect(curveRows({ ...limited, steps }).some(({ load }) => load === 256)).toBe(false);
  });
});

describe('for other tools', () => {
  test('CSV has a line per step, and empty cells for unknown values', async () => {
    const [first, ...others] = sample.steps;
    if (first === undefined) throw new Error('there is a step');
    const bare = { ...first, figures: { ...first.figures, turnP95Ms: null } };
    const rows: Record<string, string>[] = parse(await rendered({ ...sample, steps: [bare, ...others] }, 'csv'), {
      columns: true,
    });
    expect(rows.map(({ load }) => Number(load))).toEqual(sample.steps.map(({ load }) => load));
    expect(rows[0]?.['turnP95Ms']).toBe('');
    expect(Number(rows[8]?.['turnP95Ms'])).toBe(sample.steps[8]?.figures.turnP95Ms);
  });

  test.each([
    ['found', '<system-out>PASSED'],
    ['fails_at_min', '<failure message="FAILED: '],
    ['bounded', '<error message="INVALID: '],
  ] as const)('JUnit has one case, with the outcome %s', async (outcome, part) => {
    const xml = await rendered(sampleCapacity({}, { outcome }), 'junit');
    expect(xml.match(/<testcase/g)).toHaveLength(1);
    expect(xml).toContain(part);
  });

  test('one pair of words states whether a step or an objective passes', async () => {
    for (const format of ['terminal', 'markdown'] as const) {
      const text = plain(await rendered(sampleCapacity(), format, 200)).replaceAll('every objective holds', '');
      expect(text).not.toMatch(/\b(holds|broken)\b/);
    }
    const page = await pageOf(sample.kind, [sample]);
    const objectives = page?.sections.find(({ id }) => id === 'objectives');
    const verdicts =
      objectives &&
      blocksOf(objectives, 'table')
        .flatMap(rowsOf)
        .map(({ verdict }) => verdict);
    expect(new Set(verdicts)).toEqual(new Set(['fail', 'pass']));
  });

  test('Markdown has a row per load', async () => {
    const text = await rendered(sample, 'markdown');
    for (const { load } of curveRows(sample)) expect(text).toMatch(new RegExp(`^\\| ${String(load)} \\|`, 'm'));
    expect(text).toMatch(/^\| 139 .*\*\*pass\*\* \|$/m);
  });
});
