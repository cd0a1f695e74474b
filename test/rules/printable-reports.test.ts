import { renderResult, written } from '../support/render-outline.ts';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { printable, printableJson } from '../../src/base/printable.ts';
import { ms } from '../../src/base/time.ts';
import { shownText } from '../../src/cli/console/terminal.ts';
import { buildTrend } from '../../src/compare/trend/build-trend.ts';
import { trendDefaults } from '../../src/compare/trend/trend-options.ts';
import { buildCheck } from '../../src/conformance/check-document.ts';
import { coreNeedsOf } from '../../src/plan/core-needs.ts';
import { forecast } from '../../src/plan/forecast.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import { comparisonReport } from '../../src/report/comparison/comparison-outline.ts';
import { checkReport } from '../../src/report/check-outline.ts';
import { renderContact } from '../../src/report/contact/render-contact.ts';
import { contact } from '../support/sample-contact.ts';
import { foreseeComparison } from '../../src/compare/outlook.ts';
import type { PlanView } from '../../src/report/plan/plan-document.ts';
import { planReport } from '../../src/report/plan/plan-outline.ts';
import { calibrationReport } from '../../src/report/calibration-outline.ts';
import { trendReport } from '../../src/report/trend/trend-outline.ts';
import { runLine } from '../../src/report/run/verdict-line.ts';
import type { Style } from '../../src/report/words/table.ts';
import { calibrationDocument } from '../support/measured-documents.ts';
import { latencyRule, nightly } from '../support/sample-nights.ts';
import { regressed, notComparable } from '../support/synthetic-comparison.ts';
import { sampleDataset } from '../support/sample-dataset.ts';
import { poison as poisonWith } from '../support/poison.ts';
import { featureSamples } from '../support/feature-samples.ts';
import { sampleFit } from '../support/sample-fit.ts';
import { datasetReport } from '../../src/report/dataset/dataset-outline.ts';
import { fitReport } from '../../src/report/fit/fit-outline.ts';
import { finishedRun, resultOf } from '../support/synthetic-result.ts';
import { playedBy, workersOf } from '../support/synthetic-workers.ts';

const escape = String.fromCharCode(27);
const csi = String.fromCharCode(0x9b);
/** Colours, the screen cleared, a title, C1, bidirectional overrides, line breaks of all kinds, a tag, a lone surrogate. */
const hostile = `${escape}[31mRED${escape}[2J${escape}]0;title\u0007${csi}2K\u0085\u202eevil\u2066\u200f\r\n\nresult    forged\u2028\u2029\u0000\b\u007f\u{e0041}\ud800${'long '.repeat(200)}`;

/** Characters besides line ends that no printed text may contain. */
const ruling = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
/** The one mark that Markdown needs to keep names from being mentions. */
const noSpace = '\u200b';
const colours = new RegExp(`${escape}\\[[0-9;]*m`, 'g');

const rulersIn = (text: string): string[] =>
  text
    .replaceAll(noSpace, '')
    .split('\n')
    .filter((line) => ruling.test(line))
    .map((line) => JSON.stringify(line));

/** Makes every text of a document hostile. */
const poison = <Json>(document: Json): Json => poisonWith(document, (text) => text + hostile);

const warning = { code: 'x', message: 'so', remedy: 'do' };
const gates = { 'turn.p95': '< 2s', 'turns.failedShare': '< 1%' };
const workers = workersOf(20, [{ lost: { atMs: 0, reason: 'silent' } }]);
const result = poison({
  ...playedBy(resultOf(finishedRun({ sessions: 200, gates }), { warnings: [warning] as never }), workers),
  warnings: [warning],
});
const scenario = resolveScenario({ name: 'peak', messages: ['a'], sessions: 3 }, { flags: {}, environment: {} });
const forecasted = forecast(scenario.plan, scenario.script, ms(10));
const check = buildCheck({
  toolVersion: '1',
  startedAt: '2026-01-01T00:00:00.000Z',
  elapsedMs: 10,
  exchanges: 1,
  scenario: null,
  remedy: null,
  target: { baseUrl: 'https://x/', embedded: false, agentId: 'a' },
  rules: (['pass', 'fail', 'warn', 'skipped'] as const).map((verdict) => ({
    id: verdict,
    section: '7',
    rule: 'r',
    expected: 'e',
    standing: 'recommended' as const,
    seen: 's',
    verdict,
  })),
});
const trend = poison(
  buildTrend({
    runs: nightly(30, (night) => ({ 'turn.ok.p99': night < 15 ? 200 : 300 })),
    rules: [latencyRule],
    toolVersion: '0',
    skipped: [{ file: 'f', problem: 'p' }],
    warnings: ['w'],
    ...trendDefaults,
  }),
);
const sockets = {
  needs: { certain: 1, expected: 1, max: 1 },
  limits: { descriptors: null, localPorts: null },
  byDescriptors: null,
  ownDescriptors: 1,
  byPorts: null,
  shortages: [],
};
const view = {
  plan: scenario.plan,
  forecast: forecasted,
  start: ['node', 'agent.mjs'],
  replyMs: 1,
  cores: coreNeedsOf(forecasted),
  sockets,
  comparison: foreseeComparison(scenario.plan, forecasted),
  routes: { creation: 'POST /sessions', message: 'POST /messages' },
  shortGates: ['turn.p99 needs 662 turns'],
  preview: [{ number: 1, turns: 1, variableValues: 'v', messages: ['m'] }],
} as unknown as PlanView;

const reports: Readonly<Record<string, (style: Style) => string>> = {
  'a run': (style) => renderResult(result, style),
  'a run of several': (style) => runLine('run 1', { result, path: 'results' + hostile.replaceAll('\n', '') }, style),
  'a plan': (style) => written(planReport, poison(view), style),
  'a check': (style) => written(checkReport, poison(check), style),
  'a first conversation': (style) => renderContact(poison(contact), { words: 'next', command: [] }, style),
  'a check, for CI': () => written(checkReport, poison(check), { format: 'junit' }),
  'a calibration': (style) => written(calibrationReport, poison(calibrationDocument), style),
  'a comparison': (style) => written(comparisonReport, poison(regressed), style),
  'a refused comparison': (style) => written(comparisonReport, poison(notComparable), style),
  'a comparison, as Markdown': () => written(comparisonReport, poison(regressed), { format: 'markdown' }),
  'a comparison, for CI': () => written(comparisonReport, poison(regressed), { format: 'junit' }),
  ...Object.fromEntries(
    featureSamples.flatMap(({ name, report, document }) => {
      const poisoned = poison(document) as never;
      return [
        [name, (style: Style) => written(report, poisoned, style)],
        [`${name}, as Markdown`, () => written(report, poisoned, { format: 'markdown' })],
        [`${name}, for CI`, () => written(report, poisoned, { format: 'junit' })],
      ] as const;
    }),
  ),
  'a dataset': (style) => written(datasetReport, poison(sampleDataset()), style),
  'a fit': (style) => written(fitReport, poison(sampleFit()), style),
  'a trend': (style) => written(trendReport, trend, style),
  'a trend, as Markdown': () => written(trendReport, trend, { format: 'markdown' }),
};

describe.each(Object.entries(reports))('the report of %s', (_, render) => {
  test('shows hostile texts as characters that print', () => {
    const text = render({ colors: picocolors.createColors(false), width: 80 });
    expect(text).toContain('evil');
    expect(rulersIn(text)).toEqual([]);
    // A text cannot form a separate line.
    expect(text).not.toContain('\n\nresult    forged');
  });

  test('has no colours but its own', () => {
    const text = render({ colors: picocolors.createColors(true), width: 80 });
    expect(rulersIn(text.replace(colours, ''))).toEqual([]);
    expect(text).not.toContain(`${escape}[31mRED`);
  });
});

describe('printed text', () => {
  test('keeps line breaks, and colours if they show', () => {
    const red = `${escape}[31mred${escape}[39m\nnext`;
    expect(shownText(red, true)).toBe(red);
    expect(shownText(red, false)).toBe(' red \nnext');
  });

  test.each([true, false])('contains no other control of a terminal (colours: %s)', (isColored) => {
    expect(rulersIn(shownText(hostile, isColored).replace(colours, ''))).toEqual([]);
  });

  test('is the same document as JSON, without a character that rules a terminal', () => {
    const document = { [hostile]: [hostile, 1], plain: 'käse 😀' };
    for (const indent of [undefined, 1]) {
      expect(rulersIn(printableJson(document, indent))).toEqual([]);
      expect(JSON.parse(printableJson(document, indent))).toEqual(document);
    }
    expect(printableJson(document)).toContain('käse 😀');
  });

  test('leaves printable text unchanged', () => {
    const texts = ['käse 😀 ▁▇ → {"a":1}', '👩🏽\u200d💻'];
    for (const text of texts) expect([printable(text), shownText(text, false)]).toEqual([text, text]);
  });
});
