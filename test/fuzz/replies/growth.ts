import type { Fixture } from './fixtures.ts';
import type { Part } from './parts.ts';
import { blocksOf, bytesOf, readFixture, respond } from './read-fixture.ts';

/** A way in which a reply becomes long. */
export interface Growth {
  readonly name: string;
  /** Returns the blocks of a reply of about this size. */
  readonly blocks: (fixture: Fixture, size: number) => Buffer[];
}

/** Bytes of one read of a growing reply. */
const blockBytes = 1000;

const blocksWith = (fixture: Fixture, parts: readonly Part[], block = blockBytes): Buffer[] =>
  blocksOf(respond(fixture, bytesOf(fixture, { parts })), block);

const repeated = (parts: readonly Part[], at: number, times: number): Part[] =>
  parts.flatMap((part, index) => (index === at ? Array<Part>(times).fill(part) : [part]));

/** Lengthens the first text of a part that is as long as a word. */
const lengthened = ({ type, data }: Part, times: number): Part => ({
  type,
  data: data.replace(/"([A-Za-z]{2,})"(?=[,}\s]*[,}])/, (_, text: string) => `"${text.repeat(times)}"`),
});

/** Growth of every part of a reply, one at a time. */
export function growthsOf({ parts }: Fixture): readonly Growth[] {
  return parts.flatMap((_, at) => [
    {
      name: `part ${String(at)} again and again`,
      blocks: (fixture: Fixture, size: number) => blocksWith(fixture, repeated(fixture.parts, at, size)),
    },
    {
      name: `a long text in part ${String(at)}`,
      blocks: (fixture: Fixture, size: number) =>
        blocksWith(
          fixture,
          fixture.parts.map((part, index) => (index === at ? lengthened(part, 20 * size) : part)),
          100,
        ),
    },
  ]);
}

const [size, factor] = [250, 16];
/** Between the factor, of linear work, and its square. */
const maxRatio = 100;

/** Reports whether a reply of 16 times the size takes less than 100 times as long. The least of some tries counts: others are disturbed. */
export function isLinear(fixture: Fixture, { blocks }: Growth): boolean {
  const [small, large] = [blocks(fixture, size), blocks(fixture, factor * size)];
  for (let attempt = 0; attempt < 6; attempt++)
    if (timeOf(fixture, large) / timeOf(fixture, small) < maxRatio) return true;
  return false;
}

function timeOf(fixture: Fixture, blocks: readonly Buffer[]): number {
  const before = process.cpuUsage();
  const start = performance.now();
  readFixture(fixture, blocks);
  const { user, system } = process.cpuUsage(before);
  return Math.min(performance.now() - start, (user + system) / 1000);
}
