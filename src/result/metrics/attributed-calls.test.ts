import { describe, expect, test } from 'vitest';
import { modelCounters, withModel } from '../../../test/support/model-run.ts';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { judgeGates, readGate } from '../gates/gates.ts';
import { followModel } from './drift-series.ts';
import { metricNamed, metrics } from './metrics.ts';

const priced = finishedRun({ prices: { 'model-a': { input: 1, output: 2 } } });
const modelSpending = {
  costNanos: 4e9,
  orphanedNanos: 2e8,
  repeatedNanos: 3e8,
  afterReplyNanos: 1e8,
  wastedNanos: 1e9,
};

/** Counters of 150 calls, of which some belong to no attempt. */
const countersWith = (unattributed: number) => ({
  modelCalls: { ...modelCounters.modelCalls, traced: 145 - unattributed, unattributed },
  modelSpending,
});
const runWith = (unattributed: number) => resultOf(withModel(priced, { counters: countersWith(unattributed) }));
const [enough, tooFew] = [runWith(7), runWith(8)];

const isOfModel = (name: string): boolean => /^(drift\.)?model\.|^cost\./.test(name);
const withValue = (of: typeof enough): string[] =>
  metrics.flatMap((metric) => (isOfModel(metric.name) && metric.read(of).value !== null ? [metric.name] : []));

describe('below 95 % of attributed model calls', () => {
  test('no figure of turns or attempts with their calls has a value, and all others keep theirs', () => {
    const lost = withValue(enough).filter((name) => !withValue(tooFew).includes(name));
    const stems = (names: readonly string[]): string =>
      [...new Set(names.map((name) => name.split('.').slice(0, 2).join('.')))].toSorted().join(' ');
    expect(stems(lost).replaceAll('model.', '')).toBe(
      [
        'cost.afterReply cost.orphaned cost.repeated cost.wasted cost.wastedShare',
        'afterLastCall afterReply agentTime amplification beforeFirstCall cacheable callsPerTurn cancelDelay delivered',
        'duplicates noCall orphaned orphanedMs orphanedTokens parallel position relay repeats retryWait time',
      ].join(' '),
    );
    expect(lost).not.toContain('model.cacheable');
    expect(stems(withValue(tooFew)).replaceAll('model.', '')).toBe(
      [
        'cost.perOkTurn cost.perSession cost.perTurn cost.total cost.unknownShare',
        'attributedShare cacheable cachedShare call calls connections firstToken lateness',
      ].join(' '),
    );
  });

  test('a gate has no data, with the share of attributed calls as the reason', () => {
    const gate = readGate('model.callsPerTurn', '< 3');
    if ('problem' in gate) throw new Error(gate.problem);
    expect(judgeGates([gate.ok], enough)).toMatchObject([{ verdict: 'pass' }]);
    const [judged] = judgeGates([gate.ok], tooFew);
    expect(judged).toMatchObject({ verdict: 'no-data', actual: null });
    expect(judged?.reason).toBe('8 of 150 model calls belong to no known turn: let the agent forward traceparent');
  });

  test('a confidence interval has no data', () => {
    const reason = { low: null, reason: expect.stringContaining('belong to no known turn') as string };
    expect(metricNamed('model.time.p50')?.readInterval?.(enough)).not.toMatchObject(reason);
    expect(metricNamed('model.time.p50')?.readInterval?.(tooFew)).toMatchObject(reason);
  });

  test('an objective of a step has nothing to judge', () => {
    const partOf = (name: string, unattributed: number) =>
      metricNamed(name)?.part?.read({ counters: { ...modelCounters, ...countersWith(unattributed) }, series: {} }, 3);
    expect(partOf('model.callsPerTurn', 7)).toEqual({ part: 134, whole: 60 });
    expect(partOf('model.callsPerTurn', 8)).toEqual({ part: 0, whole: 0 });
    expect(partOf('model.calls', 8)).toEqual({ part: 150, whole: 150 });
  });

  test('the drift of model time is not followed', () => {
    const follow = followModel('model.time').read;
    const read = ({ intervals }: typeof enough) =>
      follow({ intervals, from: 0, to: intervals.length, times: () => undefined });
    expect(read(enough)).toBeCloseTo(96.875, 6);
    expect(read(tooFew)).toBeUndefined();
    expect(metricNamed('drift.model.time.mean')?.read(tooFew)).toMatchObject({
      reason: expect.stringContaining('belong to no known turn') as string,
    });
  });
});
