import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Comparison } from '../../src/compare/document/comparison.ts';
import type { CheckDocument } from '../../src/conformance/check-document.ts';
import type { CalibrationDocument } from '../../src/calibrate/calibration-document.ts';
import type { Result } from '../../src/result/result.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, writeScenario, type Ended } from '../support/command.ts';
import { calibratedHere } from '../support/calibrated-here.ts';
import { startSecondImplementation, type SecondImplementation } from '../mockoon/second-implementation.ts';

let services: SecondImplementation[] = [];
afterEach(async () => {
  await Promise.all(services.map((service) => service.close()));
  services = [];
});

async function start(crashAt?: string): Promise<SecondImplementation> {
  const service = await startSecondImplementation(crashAt);
  services.push(service);
  return service;
}

const environmentFor = ({ baseUrl }: SecondImplementation): Record<string, string> => ({
  CHAT_LOAD_BASE_URL: baseUrl,
  CHAT_LOAD_AGENT_ID: 'helpful',
  CHAT_LOAD_API_KEY: 'mockoon-key',
  CHAT_LOAD_WRONG_KIND_KEY: 'mockoon-other-kind',
});

const command = (words: readonly string[], service: SecondImplementation): Promise<Ended> =>
  performCommand(words, environmentFor(service));

describe('against an independent implementation of the API description', () => {
  test('check finds that every rule is fulfilled, and counts its exchanges', async () => {
    const service = await start();
    const words = [
      'check',
      '--json',
      '--pause',
      '0s',
      '--chat-off-agent',
      'muted',
      '--variable',
      'customerName=Ada-7391',
    ];
    const { code, stdout } = await command(words, service);
    const { rules, exchanges } = JSON.parse(stdout) as CheckDocument;
    const idsOf = (verdict: string): string[] => rules.filter((rule) => rule.verdict === verdict).map(({ id }) => id);
    expect({ fail: idsOf('fail'), warn: idsOf('warn') }).toEqual({ fail: [], warn: [] });
    // Neither can be provoked from outside.
    expect(idsOf('skipped')).toEqual(['error-internal', 'error-provider']);
    expect(exchanges).toBe(service.log.length);
    expect(code).toBe(0);
  });

  test('run counts every class, retry and price as the service logged them', async () => {
    const service = await start();
    const folder = await makeFolder();
    const scenario = await writeScenario(
      folder,
      `{ name: 'mixed', sessions: 10, turns: 4, load: { concurrency: 4 }, onFailedTurn: 'continue',
        messages: ['Hello {{session.number}}', 'Please hurry', 'Now crash', 'Goodbye "{{customerName}}"'],
        variableValues: { customerName: 'Ada' }, cost: (data) => data.cost,
        retry: { maxAttempts: 2, base: 1, cap: 2 } }`,
    );
    const { code, stdout } = await command(['run', scenario, '--json', '--quiet', '--out', folder], service);
    const { books, outcomes, retries, spending } = JSON.parse(stdout) as Result;
    expect(service.messages()).toEqual({ 200: 20, 429: 20, 500: 20 });
    const classes = Object.entries(outcomes.attempts).filter(([, count]) => count > 0);
    expect(Object.fromEntries(classes)).toEqual({ ok: 20, provider_rate_limited: 20, internal_error: 20 });
    expect(books.turns).toMatchObject({ planned: 40, ok: 20, failed: 20 });
    expect(books.sessions.created).toBe(service.creations());
    expect(retries.amplification).toBe(1.5);
    expect(spending.cost).toBeCloseTo(20 * 0.002, 9);
    expect(code).toBe(0);
  });

  test('the integrity guard recognizes an agent that remembers, and reports no violation', async () => {
    const service = await start();
    const folder = await makeFolder();
    const scenario = await writeScenario(
      folder,
      "{ name: 'guarded', sessions: 10, turns: 6, load: { concurrency: 4 }, messages: ['Hello'], integrity: true }",
    );
    const { code, stdout } = await command(['run', scenario, '--json', '--quiet', '--out', folder], service);
    const { integrity, books } = JSON.parse(stdout) as Result;
    expect(integrity.verdict).toBe('pass');
    expect(integrity.checks.find(({ name }) => name === 'continuity')?.checked).toBeGreaterThan(0);
    expect(books.turns.ok).toBe(service.messages()[200]);
    expect(books.turns.ok).toBe(60);
    expect(code).toBe(0);
  });

  test('a wrong key ends a run at the first refusal', async () => {
    const service = await start();
    const folder = await makeFolder();
    const scenario = await writeScenario(folder, "{ name: 'refused', sessions: 50, messages: ['Hello'] }");
    const { code } = await performCommand(['run', scenario, '--quiet', '--concurrency', '1', '--out', folder], {
      ...environmentFor(service),
      CHAT_LOAD_API_KEY: 'of-someone-else',
    });
    expect(service.log).toEqual([{ operation: 'create', status: 401 }]);
    expect(code).toBe(3);
  });

  test('calibrate reports the number of turns it sent, and all of them succeeded', async () => {
    const service = await start();
    const words = ['calibrate', '--json', '--max-connections', '2', '--step-duration', '100ms', '--max-turns', '400'];
    const { code, stdout } = await performCommand(words, { ...(await calibratedHere()), ...environmentFor(service) });
    const { turnsSent, steps } = (JSON.parse(stdout) as CalibrationDocument).target;
    const answered = steps.reduce((sum, { ok }) => sum + ok, 0);
    const logged = service.messages()[200] ?? 0;
    expect(Object.keys(service.messages())).toEqual(['200']);
    expect(steps.length).toBeGreaterThan(0);
    // Requests in flight at the end of a load were sent, and may have been answered after the client disconnected.
    expect(answered).toBeLessThanOrEqual(logged);
    expect(logged).toBeLessThanOrEqual(turnsSent);
    expect(turnsSent).toBeLessThanOrEqual(400);
    expect(code).toBe(0);
  });

  test('compare finds the share of failures that the services logged', async () => {
    const [base, head] = [await start(), await start('Third')];
    const folder = await makeFolder();
    const scenario = await writeScenario(
      folder,
      `{ name: 'release', sessions: 10, turns: 3, load: { concurrency: 4 }, messages: ['First', 'Second', 'Third'],
        retry: 'none' }`,
    );
    for (const [name, service] of [
      ['base', base],
      ['head', head],
    ] as const) {
      await mkdir(join(folder, name));
      await command(['run', scenario, '--quiet', '--out', join(folder, name)], service);
    }
    expect([base.messages(), head.messages()]).toEqual([{ 200: 30 }, { 200: 20, 500: 10 }]);
    // Forced: a busy machine may make one of the runs degraded.
    const compared = await performCommand(['compare', join(folder, 'base'), join(folder, 'head'), '--force', '--json']);
    const { metrics, localization: where, verdict } = JSON.parse(compared.stdout) as Comparison;
    const failed = metrics.find(({ name }) => name === 'turns.failedShare');
    expect(failed?.base).toBe(0);
    expect(failed?.head).toBeCloseTo(10 / 30, 9);
    expect(where?.errors).toEqual([{ class: 'internal_error', base: 0, head: 10, isNew: true }]);
    expect(compared.code).toBe(verdict === 'regressed' ? 1 : 0);
  });
});
