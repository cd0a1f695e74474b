import { join } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { capacityKind } from '../../capacity/document/capacity.ts';
import { sideNames, type SideName } from '../../compare/document/side.ts';
import { kindsBehind, listJson } from '../../edge/disk/find-results.ts';
import { readFolderFacts, readOther } from '../../edge/disk/read-result.ts';
import { listedCapacitySchema } from '../../report/page/list/listed.ts';
import { resultKind } from '../../result/result.ts';
import type { SideSources } from './read-side.ts';

/**
 * Whether sides are of results or of capacities. Runs and searches land in one folder: of a folder or a label that has both,
 * those are compared that the other sources have too, and results where all have both. Throws a usage error where no kind is
 * on both sides.
 */
export async function comparedKind(sides: Readonly<Record<SideName, SideSources>>): Promise<'result' | 'capacity'> {
  const named = await Promise.all(
    sideNames.flatMap((side) => sides[side].sources.map((source) => ofSource(source, sides[side].folder))),
  );
  if (named.every((source) => canBe(resultKind, source))) return 'result';
  if (named.every((source) => canBe(capacityKind, source))) return 'capacity';
  const [result, capacity] = [resultKind, capacityKind].map((kind) => named.find(({ kinds }) => kinds.has(kind)));
  throw new ChatLoadError('usage', {
    message: `A result of a run cannot be compared with a capacity: ${result?.source ?? ''} has results, ${capacity?.source ?? ''} capacities.`,
    hint: 'Give files of one kind on both sides; chat-load report FILE shows what a file is.',
  });
}

interface Named {
  source: string;
  /** Of both kinds, those that it has. */
  kinds: ReadonlySet<string>;
  /** It is a folder or a label, of which some are taken; of files all are. */
  isChoice: boolean;
}

/** What has none of both is refused by who reads it. */
const canBe = (kind: string, { kinds, isChoice }: Named): boolean =>
  kinds.size === 0 || (kinds.has(kind) && (isChoice || kinds.size === 1));

const prefix = 'label:';

async function ofSource(source: string, folder: string): Promise<Named> {
  const isLabel = source.startsWith(prefix);
  const behind = await kindsBehind(isLabel ? folder : source);
  const both = new Set([resultKind, capacityKind].filter((kind) => behind.has(kind)));
  const kinds = isLabel && both.size === 2 ? kindsOfLabel(source.slice(prefix.length), folder) : both;
  return { source, kinds, isChoice: isLabel || !/[*?]|\.json$/i.test(source) };
}

/** What in a folder has a label. */
function kindsOfLabel(label: string, folder: string): ReadonlySet<string> {
  const { taken } = readFolderFacts({ folder }, (_, { run }) => run.label);
  const isOfCapacity = (file: string): boolean => {
    const reading = readOther(join(folder, file), capacityKind, listedCapacitySchema);
    return 'part' in reading && reading.part.label === label;
  };
  return new Set([
    ...(taken.includes(label) ? [resultKind] : []),
    ...(listJson(folder).some(isOfCapacity) ? [capacityKind] : []),
  ]);
}
