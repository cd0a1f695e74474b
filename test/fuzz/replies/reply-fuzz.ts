import fc from 'fast-check';
import { groupBy } from '../../../src/base/group-by.ts';
import { noteRules } from '../../../src/protocol/notes.ts';
import { attemptClassNames } from '../../../src/protocol/outcome.ts';
import type { Reply, Verdict } from '../../../src/protocol/protocol.ts';
import { fuzz, type Fuzz } from '../fuzz.ts';
import { fixtures, type Fixture } from './fixtures.ts';
import { mutateBytes, mutateParts, mutations, writings } from './mutations.ts';
import { blocksOf, bytesOf, readFixture, respond, splitAt } from './read-fixture.ts';

const framings = fc.constantFrom('length' as const, 'chunks' as const, 'close' as const);
const places = fc.array(fc.nat({ max: 100_000 }), { maxLength: 12 });

function anySplit(name: string, own: readonly Fixture[]): Fuzz {
  return fuzz(
    { name: `any reply of ${name} has a class, the same however its bytes are split`, runs: 160 },
    fc.record({ fixture: fc.constantFrom(...own), mutation: mutations, writing: writings, framing: framings, places }),
    ({ fixture, mutation, writing, framing, places: cuts }) => {
      const body = bytesOf(fixture, { parts: mutateParts(fixture.parts, mutation), writing });
      const bytes = respond(fixture, mutateBytes(body, mutation), framing);
      const whole = readFixture(fixture, [bytes]);
      requireSound(whole.verdict);
      const scale = Math.max(1, Math.ceil(bytes.length / 100_000));
      const cut = splitAt(
        bytes,
        cuts.map((place) => (place * scale) % (bytes.length + 1)),
      );
      for (const blocks of [cut, blocksOf(bytes, bytes.length > 10_000 ? 1000 : 1)]) {
        const { text } = readFixture(fixture, blocks);
        if (text !== whole.text) throw new Error(`split it is ${text}, and whole ${whole.text}`);
      }
    },
  );
}

/** The beginning of a reply is not a reply, unless it contains the reply's end and all of its content. */
function noBeginning(name: string, own: readonly Fixture[]): Fuzz {
  return fuzz(
    { name: `no beginning of a reply of ${name} is ok`, runs: 80 },
    fc.record({ fixture: fc.constantFrom(...own), writing: writings, framing: framings, at: fc.nat() }),
    ({ fixture, writing, framing, at }) => {
      const body = bytesOf(fixture, { writing });
      const whole = readFixture(fixture, [respond(fixture, body, framing)]).verdict;
      const bytes = respond(fixture, body, framing);
      const lost = readFixture(fixture, [bytes.subarray(0, at % bytes.length)]).verdict;
      if (lost.outcome === 'ok' && fixture.form !== 'frames' && framing !== 'close') throw new Error('it is ok');
      if (fixture.endsByClose === true) return;
      const part = readFixture(fixture, [respond(fixture, body.subarray(0, at % body.length), framing)]).verdict;
      if (part.outcome === 'ok' && contentOf(part) !== contentOf(whole)) throw new Error('a part of it is ok');
    },
  );
}

function isOk(fixture: Fixture): boolean {
  return readFixture(fixture, [respond(fixture, bytesOf(fixture))]).verdict.outcome === 'ok';
}

function contentOf({ reply }: Verdict): string {
  return JSON.stringify([reply?.text, reply?.toolCalls, reply?.finish]);
}

/** Requires a verdict in the form that everything after it relies on. */
function requireSound({ outcome, detail, reply, retryAfter }: Verdict): void {
  if (!attemptClassNames.includes(outcome)) throw new Error(`its class is ${outcome}`);
  if (typeof detail !== 'string' || (retryAfter !== undefined && typeof retryAfter !== 'string'))
    throw new Error('its detail or its wait is not a text');
  if ((reply === undefined) === (outcome === 'ok')) throw new Error('only a reply that is ok has a content');
  if (reply !== undefined) requireReply(reply);
}

function requireReply({ text, id, model, toolCalls = [], usage, notes = [] }: Reply): void {
  const texts = [text, id ?? '', model ?? '', ...toolCalls.flatMap((call) => [call.id, call.name, call.arguments])];
  if (!texts.every((each) => typeof each === 'string')) throw new Error(`it is not made of texts`);
  const counts = Object.values(usage ?? {}).filter((count) => count !== undefined);
  if (!counts.every((count) => Number.isSafeInteger(count) && count >= 0)) throw new Error(`its usage is not a count`);
  if (!notes.every(({ rule, detail }) => noteRules.includes(rule) && typeof detail === 'string'))
    throw new Error('it has an unknown note');
}

/** Properties of the reader of every protocol and definition. */
export const repliesFuzz: readonly Fuzz[] = [
  ...[...groupBy(fixtures, ({ of }) => of)].map(([name, own]) => anySplit(name, own)),
  ...[...groupBy(fixtures.filter(isOk), ({ of }) => of)].map(([name, own]) => noBeginning(name, own)),
];
