import { describe, expect, test } from 'vitest';
import { created, okReply, refusal, SessionLab, type Answer } from '../../test/support/session-lab.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { HeadSources, Trace } from './session-head.ts';

/** Traces by number, and a jar that keeps the last set cookie. */
function sources(kept: string[] = []): HeadSources {
  let traces = 0;
  const newTrace = (): Trace => ({ id: `id${String(++traces)}`, parent: `parent${String(traces)}` });
  const newJar = (): ReturnType<NonNullable<HeadSources['newJar']>> => {
    let value = '';
    return { valueFor: () => value, take: (_, [line = '']) => ((value = line), 0) };
  };
  return { newTrace, newJar, keepSecret: (secret) => kept.push(secret) };
}

const twoTurns = [created('s'), okReply('s'), okReply('s')];
const lab = (headers: object, answers: readonly Answer[] = twoTurns, heads = sources()): SessionLab =>
  new SessionLab({ messages: ['a', 'b'], target: { headers } as Scenario['target'] & object }, answers, { heads });
const fieldsOf = ({ sent }: SessionLab): (string | undefined)[] => sent.map(({ fields }) => fields);

describe('the head of a session', () => {
  test('has its headers in the creation, the turns and their retries, and a trace for every attempt', async () => {
    const answers = [created('s'), okReply('s'), refusal(500, 'x'), okReply('s')];
    const played = await lab({ 'X-Turn': '{{turn.number}}', 'X-Session': '{{session.number}}' }, answers).run(4);
    const own = (turn: number): string => `X-Turn: ${String(turn)}\r\nX-Session: 4\r\n`;
    expect(fieldsOf(played)).toEqual(
      [0, 1, 2, 2].map((turn, index) => `${own(turn)}traceparent: parent${String(index + 1)}\r\n`),
    );
    expect(played.attempts.map(({ traceId }) => traceId)).toEqual(['id1', 'id2', 'id3', 'id4']);
  });

  test('names the attempt to the source of traces, and adds the header with the trace id', async () => {
    const named: unknown[] = [];
    const newTrace: HeadSources['newTrace'] = ({ session, policy, turn, attempt, message, sentAt, countedFrom }) => {
      named.push([session, policy, turn, attempt, message, sentAt > countedFrom]);
      return { id: `id${String(named.length)}`, parent: 'p' };
    };
    const answers = [created('s'), okReply('s'), refusal(500, 'x'), okReply('s')];
    const played = await lab({}, answers, { ...sources(), newTrace, traceHeader: 'X-Trace' }).run(4);
    expect(named).toEqual([
      [4, 0, 0, 1, '', false],
      [4, 0, 1, 1, 'a', false],
      [4, 0, 2, 1, 'b', false],
      [4, 0, 2, 2, 'b', true],
    ]);
    expect(fieldsOf(played)[3]).toContain('traceparent: p\r\nX-Trace: id4\r\n');
  });

  test('sends the cookies back that any response of the session sets', async () => {
    const answers = [
      { ...created('s'), setCookies: ['a=1'] },
      { ...refusal(500, 'x'), setCookies: ['a=2'] },
      okReply('s'),
      okReply('s'),
    ];
    const played = await lab({}, answers, { ...sources(), newTrace: undefined }).run();
    expect(fieldsOf(played)).toEqual(['', 'Cookie: a=1\r\n', 'Cookie: a=2\r\n', 'Cookie: a=2\r\n']);
  });

  test('is missing if nothing differs from session to session', async () => {
    const played = new SessionLab({ messages: ['a'] }, [created('s'), okReply('s')]);
    expect(fieldsOf(await played.run())).toEqual([undefined, undefined]);
  });

  test('reports its secret values, and constant ones only once', async () => {
    const kept: string[] = [];
    await lab({ 'X-Token': 'opaque-{{session.number}}' }, twoTurns, sources(kept)).run(7);
    expect(kept).toEqual(['opaque-7']);
  });

  test.each([0, 1])('that cannot be created in turn %i ends the run with the error of the scenario', async (last) => {
    const value = ({ turn }: { turn: { number: number } }): string => (turn.number < last ? 'a' : 'a\r\nX-Evil: 1');
    const played = await lab({ 'X-A': value }).run();
    expect(played.abandoned).toHaveLength(1);
    expect(played.abandoned[0]).toContain(`session 1, turn ${String(last)}: target.headers.X-A returned a line break`);
    expect(fieldsOf(played).join('')).not.toContain('X-Evil');
    expect(played.sent).toHaveLength(1);
  });
});
