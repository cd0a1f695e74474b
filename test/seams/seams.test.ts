import { describe, expect, test } from 'vitest';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import { exitCodeOf } from '../../src/result/exit-code.ts';
import type { Result } from '../../src/result/result.ts';
import { actualFigures, actualReasons } from './actual-figures.ts';
import { compose, type Setting } from './compose.ts';
import { differences } from './differences.ts';
import { expectedFigures, expectedReasons, partOf, wholeRun, type Told } from './expected/expected-figures.ts';
import { foreseeRun } from './foresight.ts';
import { brokenInvariants } from './invariants.ts';
import { pasteable } from './pasteable.ts';
import { play, recover } from './play.ts';
import { levels, nameOf, pairsOf, rows } from './rows.ts';
import { answerModel } from './service-model.ts';
import { isWhole } from '../support/trials.ts';

/** Ends that a scenario defines for its runs: a batch continues after them. */
const ownEnds: (string | null)[] = [null, 'cap', 'gate', 'max_duration'];
const everyEnd = [
  null,
  'cap',
  'circuit',
  'gate',
  'max_duration',
  'no_success',
  'signal',
  'target_gone',
  'target_unfit',
];

test('every two levels of any two options meet in a run', () => {
  const names = Object.keys(levels) as (keyof typeof levels)[];
  const met = new Set(rows.flatMap((row) => pairsOf(names.map((name) => [name, row[name]] as const))));
  const all = pairsOf(Object.entries(levels).flatMap(([name, each]) => each.map((level) => [name, level] as const)));
  expect(all.filter((pair) => !met.has(pair))).toEqual([]);
  expect(rows.length).toBeGreaterThan(isWhole ? 150 : 75);
});

test('the runs end in every way, and fill every entry of the counts', () => {
  const told = rows.map((row, index) => {
    const setting = compose(row, index + 1);
    const resolved = resolveScenario(setting.scenario, { flags: {}, environment: {} });
    const foreseen = foreseeRun(resolved, aroundOf(setting, resolved.plan.seed));
    return { stop: foreseen.stop, figures: expectedFigures(wholeRun(resolved.plan, foreseen)) };
  });
  expect(new Set(told.map(({ stop }) => stop))).toEqual(new Set(everyEnd));
  const entries = Object.keys(told[0]?.figures ?? {}).filter((name) => /^(books|outcomes\.unanswered)\./.test(name));
  const empty = entries.filter((name) => told.every(({ figures }) => figures[name] === 0));
  // A run of one process loses none of its shards.
  expect(empty.filter((name) => !/\.lost(_creating)?$/.test(name))).toEqual([]);
});

describe('a run matches an independent prediction from its schedule', () => {
  test.each(rows.map((row, index) => ({ row, index, name: nameOf(row) })))('$index: $name', async ({ row, index }) => {
    const setting = compose(row, index + 1);
    for (let run = 0; run < setting.repeat; run++) if (!ownEnds.includes(await checkRun(setting, run))) break;
  });
});

/** Performs one run of a series and compares it, and its recovered journal, with the prediction; returns the stop reason. */
async function checkRun(setting: Setting, run: number): Promise<string | null> {
  const { seed = 1 } = setting.scenario;
  const resolved = resolveScenario(setting.scenario, { flags: { seed: seed + run }, environment: {} });
  const { plan } = resolved;
  const around = aroundOf(setting, plan.seed);
  const foreseen = foreseeRun(resolved, around);
  const told = wholeRun(plan, foreseen);
  const played = await play(resolved, around);
  const { result, journal } = played;
  const hint = pasteable(setting, run);
  expect({ ...seen(told, result), stop: result.run.stop?.kind ?? null }, hint).toEqual({
    ...asForeseen(told),
    stop: foreseen.stop,
  });
  expect(brokenInvariants(plan, played, foreseen), hint).toEqual([]);
  if (setting.killedAfter === 1) {
    const recovered = recover(plan, journal, Infinity).result;
    const { status } = recovered.run;
    expect(recovered, hint).toEqual({ ...result, run: { ...result.run, status } });
    expect([status, exitCodeOf(recovered)], hint).toEqual(['recovered', exitCodeOf(result)]);
  } else {
    const killedAt = setting.killedAfter * foreseen.endedAt;
    const recovered = recover(plan, journal, killedAt);
    const part = partOf(told, recovered.knownUntil, killedAt);
    // An interval is journaled over a second after its end, in steps that take their turns with the timers of virtual time.
    expect(recovered.knownUntil, hint).toBeGreaterThan(killedAt - 5000);
    expect(seen(part, recovered.result), `killed after ${String(killedAt)} ms; ${hint}`).toEqual(asForeseen(part));
  }
  return foreseen.stop;
}

const aroundOf = ({ faults, signals }: Setting, seed: number) => ({ model: answerModel(faults, seed), signals });

const seen = (told: Told, result: Result): object => ({
  reasons: actualReasons(result),
  differences: differences(expectedFigures(told), actualFigures(result)),
});
const asForeseen = (told: Told): object => ({ reasons: expectedReasons(told), differences: [] });
