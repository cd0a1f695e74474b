import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { renderFile } from '../../src/app/report.ts';
import { ms } from '../../src/base/time.ts';
import { foreseeComparison } from '../../src/compare/outlook.ts';
import { buildCheck } from '../../src/conformance/check-document.ts';
import { coreNeedsOf } from '../../src/plan/core-needs.ts';
import { forecast } from '../../src/plan/forecast.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import type { PlanView } from '../../src/report/plan/plan-document.ts';
import { formats } from '../../src/report/documents.ts';
import { calibrationDocument } from '../support/measured-documents.ts';
import { steppedTrend } from '../support/stepped-trend.ts';
import { regressed } from '../support/synthetic-comparison.ts';
import { finishedRun, resultOf } from '../support/synthetic-result.ts';
import { damagedTexts, disguisedTexts } from './damage.ts';
import { fuzz } from './fuzz.ts';
import { plainStyle } from './plain-style.ts';
import { requireError } from './scenarios.ts';
import { scratchFile } from './scratch-file.ts';

const gates = { 'turn.p95': '< 2s', 'turns.failedShare': '< 1%' };
const resolved = resolveScenario({ name: 'peak', messages: ['a'], sessions: 3, gates }, { flags: {}, environment: {} });
const forecasted = forecast(resolved.plan, resolved.script, ms(10));

const plan: PlanView = {
  kind: 'chat-load/plan',
  schemaVersion: 1,
  toolVersion: '0.1.0',
  plan: resolved.plan,
  start: null,
  forecast: forecasted,
  replyMs: 10,
  replySource: 'guess',
  cores: coreNeedsOf(forecasted),
  sockets: {
    needs: { certain: 4, expected: 5, max: 6 },
    limits: {
      descriptors: { limit: 1024, hard: null, open: 30 },
      localPorts: { first: 32_768, last: 60_999, reserved: 0, setting: 'ip_local_port_range' },
    },
    byDescriptors: 900,
    ownDescriptors: 30,
    byPorts: 28_000,
    shortages: [],
  },
  routes: { creation: 'POST /sessions', message: 'POST /messages' },
  shortGates: ['turn.p99 needs 662 turns; this run has about 3: --sessions 662'],
  comparison: foreseeComparison(resolved.plan, forecasted),
  preview: [{ number: 1, turns: 1, variableValues: '{"who":"Ada"}', messages: ['a'] }],
};

const check = buildCheck({
  toolVersion: '0.1.0',
  startedAt: '2026-01-01T00:00:00.000Z',
  elapsedMs: 10,
  exchanges: 4,
  scenario: null,
  remedy: null,
  target: { baseUrl: 'https://x/', embedded: false, agentId: 'a' },
  rules: (['pass', 'fail', 'warn', 'skipped'] as const).map((verdict) => ({
    id: verdict,
    section: '7',
    rule: 'a rule',
    expected: 'this',
    standing: 'recommended',
    seen: 'that',
    verdict,
  })),
});

const documents = [
  resultOf(finishedRun({ sessions: 12, gates })),
  ...[regressed, steppedTrend(), plan, check, calibrationDocument],
];

const file = scratchFile('document.json');
/** Characters that control a terminal. Line breaks are allowed, and Markdown needs a zero-width space in mentions. */
const ruling = /(?![\n\u200b])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

const textFormats = formats.filter((format) => format !== 'html');

export const reportFuzz = fuzz(
  { name: 'a document is printed again from its file without a character that rules a terminal, or named', runs: 400 },
  fc.tuple(
    fc.oneof(
      { arbitrary: fc.oneof(...documents.map(disguisedTexts)), weight: 3 },
      { arbitrary: fc.oneof(...documents.map(damagedTexts)), weight: 1 },
    ),
    // Every kind has the first, not all have the others.
    fc.oneof({ arbitrary: fc.constant('terminal' as const), weight: 2 }, fc.constantFrom(...textFormats)),
  ),
  async ([bytes, format]) => {
    writeFileSync(file, bytes);
    const text = await renderFile(file, format, plainStyle).catch(requireError);
    const at = text?.search(ruling) ?? -1;
    if (at !== -1) throw new Error(`${format} holds ${JSON.stringify(text?.slice(at - 50, at + 10))}`);
  },
);
