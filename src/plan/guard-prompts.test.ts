import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { skills } from '../reference-service/conversation/compose-reply.ts';
import { asksBack, codeOf, isForeign, marksIn, tagOf, withoutMarks, type MarkKey } from './guard-prompts.ts';
import { planSession } from './session-plan.ts';
import { resolveScenario } from './resolve-scenario.ts';

const someKey = fc.record({ seed: fc.nat(), salt: fc.stringMatching(/^[0-9a-z]{8}$/) });
const session = fc.integer({ min: 1, max: 2 ** 32 - 1 });
const turn = fc.integer({ min: 1, max: 5000 });
/** Key of sessions that no run has sent yet. */
const plain: MarkKey = { seed: 1, salt: '' };

describe('tags and codes', () => {
  test('identify their session, at any position and in any case', () => {
    fc.assert(
      fc.property(someKey, session, turn, fc.string(), fc.boolean(), (s, i, t, text, upper) => {
        const said = `${text} (${tagOf(s, i, t)}), ${codeOf(s, i)}. ${text}`;
        expect(marksIn(upper ? said.toUpperCase() : said, s)).toEqual([
          { kind: 'tag', session: i, turn: t, isOfOtherRun: false },
          { kind: 'code', session: i, turn: 0, isOfOtherRun: false },
        ]);
      }),
    );
  });

  test('of two sessions or turns never coincide, nor contain one another', () => {
    fc.assert(
      fc.property(someKey, session, session, turn, turn, (s, i, j, t, u) => {
        fc.pre(i !== j || t !== u);
        expect(tagOf(s, i, t).includes(tagOf(s, j, u))).toBe(false);
        if (i !== j) expect(codeOf(s, i).includes(codeOf(s, j))).toBe(false);
      }),
    );
  });

  test.each<[string, MarkKey]>([
    ['another run of the same seed', { seed: 1, salt: 'b0b0b0b0' }],
    ['another seed', { seed: 2, salt: 'a0a0a0a0' }],
  ])('of %s are known as such, and never expected', (_, other) => {
    const mine: MarkKey = { seed: 1, salt: 'a0a0a0a0' };
    const sessions = Array.from({ length: 2000 }, (_, at) => at + 1);
    const found = sessions.map((at) => marksIn(`${tagOf(other, at, 1)} ${codeOf(other, at)}`, mine));
    // Three characters of base 36 coincide once in 46,656.
    expect(found.flat().filter(({ isOfOtherRun }) => !isOfOtherRun).length).toBeLessThan(4);
    for (const marks of found) expect(marks.map(({ kind }) => kind)).toEqual(['tag', 'code']);
    const [first] = found[0] ?? [];
    if (first === undefined) throw new Error('no mark');
    expect(isForeign(first, 1)).toBe(true);
  });

  test.each<[string, (mark: string) => string]>([
    ['in italics', (mark) => `_${mark}_`],
    ['in bold underscores', (mark) => `__${mark}__`],
    ['in a name with underscores', (mark) => `memory_${mark}_v1`],
    ['with hyphens that do not break', (mark) => mark.replaceAll('-', '\u2011')],
    ['with en dashes', (mark) => mark.replaceAll('-', '\u2013')],
    ['with full-width characters', (mark) => mark.replaceAll('-', '\uff0d')],
    ['with escaped hyphens', (mark) => mark.replaceAll('-', '\\-')],
    ['with encoded hyphens', (mark) => mark.replaceAll('-', '%2D')],
    ['with spaces around hyphens', (mark) => mark.replaceAll('-', ' - ')],
    ['in a link', (mark) => `[${mark}](https://example.com/?tag=${mark})`],
    ['without spaces before other letters', (mark) => `\u30bf\u30b0${mark}\u3067\u3059`],
  ])('are found as agents format them: %s', (_, format) => {
    const mine: MarkKey = { seed: 1, salt: 'a0a0a0a0' };
    for (const own of [tagOf(mine, 12, 3), codeOf(mine, 12)]) {
      const [found] = marksIn(`The reply: ${format(own)}. Else?`, mine);
      expect(found).toMatchObject({ session: 12, isOfOtherRun: false });
      expect(marksIn(`x${own} ${own}y`, mine)).toEqual([]);
    }
  });

  test('that are broken are neither', () => {
    const mine: MarkKey = { seed: 1, salt: 'a0a0a0a0' };
    const broken = Array.from(
      { length: 2000 },
      (_, at) => `c${String(at + 1)}-${(at * 7919 + 1).toString(36).padStart(6, 'x')}`,
    );
    expect(marksIn(broken.join(' '), mine).length).toBeLessThan(4);
  });

  test('have the same length in every run, and are all that differs', () => {
    const keys = ['a0a0a0a0', 'b0b0b0b0'].map((salt) => ({ seed: 1, salt }));
    const [one = '', other = ''] = keys.map((key) => `Hi ${tagOf(key, 12, 3)}, code ${codeOf(key, 12)}; t5-large`);
    expect(one).not.toBe(other);
    expect(one).toHaveLength(other.length);
    expect(withoutMarks(one)).toBe(withoutMarks(other));
    expect(withoutMarks(one)).toContain('t12-3-');
    expect(withoutMarks(one)).toContain('t5-large');
  });

  test('are six characters long, whatever the number', () => {
    for (let at = 1; at < 5000; at++) expect(codeOf(plain, at)).toMatch(/^c\d+-[0-9a-z]{6}$/);
  });
});

test('the code is requested in turns 2, 4, 8 and so on, and in the last', () => {
  const asked = (turns: number): number[] =>
    Array.from({ length: turns }, (_, at) => at + 1).filter((at) => asksBack(at, turns));
  expect(asked(1)).toEqual([]);
  expect(asked(2)).toEqual([2]);
  expect(asked(7)).toEqual([2, 4, 7]);
  expect(asked(20)).toEqual([2, 4, 8, 16, 20]);
});

describe('the additions of the guard to messages', () => {
  const messagesOf = (integrity: unknown, number = 3): string[] => {
    const author = { name: 'x', messages: ['Hi', 'And?', 'Well.'], sessions: 9, integrity };
    const plan = planSession(resolveScenario(author, { flags: {}, environment: {} }).script, number);
    return [1, 2, 3].map((at) => plan.message(at));
  };
  const [code, tags] = [codeOf(plain, 3), [1, 2, 3].map((at) => tagOf(plain, 3, at))];

  test('are the code in turn 1, the question for it in recall turns, and the tag in every turn', () => {
    expect(messagesOf(true)).toEqual([
      `Hi Remember this code: ${code} Repeat this tag: ${tags[0] ?? ''}`,
      `And? Which code did I tell you? Repeat this tag: ${tags[1] ?? ''}`,
      `Well. Which code did I tell you? Repeat this tag: ${tags[2] ?? ''}`,
    ]);
  });

  test('uses the prompts of the scenario', () => {
    const prompts = { remember: 'Merke dir {{code}}!', recall: 'Code?', tag: 'Sag <{{tag}}>.' };
    expect(messagesOf({ prompts })).toEqual([
      `Hi Merke dir ${code}! Sag <${tags[0] ?? ''}>.`,
      `And? Code? Sag <${tags[1] ?? ''}>.`,
      `Well. Code? Sag <${tags[2] ?? ''}>.`,
    ]);
  });

  test.each([undefined, 'passive', false, { active: false }])('is nothing with %j', (integrity) => {
    expect(messagesOf(integrity)).toEqual(['Hi', 'And?', 'Well.']);
  });

  test('is understood by the embedded agent word for word', () => {
    const [first = '', second = ''] = messagesOf(true);
    const found = (text: string): (string | undefined)[] =>
      skills.flatMap(({ asked }) => {
        const match = asked.exec(text);
        return match === null ? [] : [match[1]];
      });
    expect(found(first)).toEqual([code, tags[0]]);
    expect(found(second)).toEqual([undefined, tags[1]]);
  });
});
