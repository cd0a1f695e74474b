import { expect, describe, test } from 'vitest';
import { exitCodeOf } from '../../src/result/exit-code.ts';
import type { Result } from '../../src/result/result.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { witness, type ServiceModel } from '../support/virtual-run.ts';

const messageIn = (asked: string): string => (JSON.parse(asked) as { message: string }).message;
const tagIn = (asked: string): string => /t\d+-\d+-\w{6}/.exec(messageIn(asked))?.[0] ?? '';
const codes = new Map<string, string>();

/** An agent that repeats tags from its nth reply on, and ignores them before. */
function agent(from: number, recalls = true): ServiceModel {
  let replies = 0;
  codes.clear();
  return (operation, _, asked) => {
    if (operation === 'create') return { afterMs: 1 };
    const { sessionId } = JSON.parse(asked) as { sessionId: string };
    const told = /c\d+-\w{6}/.exec(messageIn(asked))?.[0];
    if (told !== undefined) codes.set(sessionId, told);
    const code = recalls ? (codes.get(sessionId) ?? '') : '';
    return { afterMs: 20, data: { response: ++replies < from ? 'Gladly.' : `Gladly. ${tagIn(asked)} ${code}` } };
  };
}

const ownAgent = { baseUrl: 'http://127.0.0.1:9', agentId: 'a1', apiKey: 'sk-test' };

async function guarded(model: ServiceModel, scenario: Partial<Scenario> = {}) {
  const { result, notes } = await witness(
    {
      integrity: true,
      target: ownAgent,
      sessions: 40,
      turns: 4,
      load: { concurrency: 4 },
      stopWhen: { unusable: false },
      ...scenario,
    },
    model,
  );
  expect([result.run.stop, result.books.balanced, result.books.broken]).toEqual([null, true, []]);
  return { result, notes, code: exitCodeOf(result) };
}

const checkedOf = ({ integrity }: Result): Record<string, number> =>
  Object.fromEntries(integrity.checks.filter(({ checked }) => checked > 0).map(({ name, checked }) => [name, checked]));

describe('an active guard with an agent that repeats nothing', () => {
  test('fails no turn, reports it once, and ends as unsupported with exit 1', async () => {
    const { result, notes, code } = await guarded(agent(Infinity));
    expect([result.books.turns.ok, result.books.turns.failed]).toEqual([160, 0]);
    expect(result.integrity).toMatchObject({ mode: 'active', verdict: 'unsupported', failed: 0, untagged: 160 });
    expect(code).toBe(1);
    expect(notes).toMatchObject([
      {
        code: 'integrity_unsupported',
        message: expect.stringMatching(/^None of the first 20 replies /) as string,
        remedy: expect.stringContaining("'passive'") as string,
      },
    ]);
    expect(result.warnings).toEqual(notes);
  });

  test('continues with the checks that require nothing of it', async () => {
    const { result } = await guarded(agent(Infinity));
    expect(checkedOf(result)).toEqual({ answered: 160, restarted: 160, stale: 120, placeholder: 160 });
    const silent = await guarded((operation) => ({ afterMs: 20, ...(operation === 'create' ? {} : { data: { response: ' ' } }) })); // prettier-ignore
    expect(silent.result.integrity).toMatchObject({ verdict: 'fail', failed: 40 });
  });

  test('finds another session’s tag and code all the same', async () => {
    let nth = 0;
    const model: ServiceModel = (operation, _, asked) => {
      if (operation === 'create') return { afterMs: 1 };
      const before = lastTag;
      lastTag = tagIn(asked);
      return { afterMs: 20, data: { response: ++nth === 200 ? `Gladly. ${before}` : 'Gladly.' } };
    };
    let lastTag = '';
    const { result, code } = await guarded(model, { sessions: 80 });
    expect(result.integrity).toMatchObject({ verdict: 'fail', failed: 1 });
    expect(result.integrity.examples).toMatchObject([{ check: 'crossed' }]);
    expect(result.warnings).toHaveLength(1);
    expect(code).toBe(1);
  });

  test('does not pass either if a run ends before twenty replies', async () => {
    const { result, code, notes } = await guarded(agent(Infinity), { sessions: 3 });
    expect(result.integrity).toMatchObject({ verdict: 'unsupported', untagged: 12 });
    expect(result.warnings[0]?.message).toMatch(/^None of the 12 replies /);
    expect([code, notes]).toEqual([1, []]);
  });

  test('does not spare the embedded service, which supports the guard', async () => {
    const { result } = await guarded(agent(Infinity), { target: {} });
    expect(result.integrity).toMatchObject({ verdict: 'fail', failed: 40, untagged: 0 });
  });
});

describe('an active guard with an agent that repeats tags', () => {
  test('applies all checks to every reply from the first tag', async () => {
    const { result, code, notes } = await guarded(agent(1));
    expect(result.integrity).toMatchObject({ verdict: 'pass', replies: 160, failed: 0, untagged: 0 });
    expect(checkedOf(result)).toMatchObject({ crossed: 160, leakage: 160, continuity: 80 });
    expect([code, notes, result.warnings]).toEqual([0, [], []]);
  });

  test('finds one that loses its sessions', async () => {
    const { result } = await guarded(agent(1, false));
    expect(result.integrity).toMatchObject({ verdict: 'fail', failed: 40 });
    expect(result.integrity.examples[0]?.check).toBe('continuity');
  });

  test('does not pass if replies before the first tag had none', async () => {
    const { result, code } = await guarded(agent(6));
    expect(result.integrity).toMatchObject({ verdict: 'fail', untagged: 5 });
    expect(code).toBe(1);
  });

  test('fails no reply for a tag that appears after twenty without one, and does not pass', async () => {
    const { result, code } = await guarded(agent(31));
    expect(result.books.turns.failed).toBe(0);
    expect(result.integrity).toMatchObject({ verdict: 'unsupported', untagged: 30 });
    expect(code).toBe(1);
  });
});
