import { join } from 'node:path';
import { usageError } from '../../base/errors.ts';
import { sideNames } from '../../compare/document/side.ts';
import { kindsOf, listJson } from '../../edge/disk/find-results.ts';
import { readFolderFacts } from '../../edge/disk/read-result.ts';
import { resultKind } from '../../result/result.ts';
import { comparedKinds, type ComparedKind, type Sides } from './compared-kinds.ts';
import { prefix } from './read-items.ts';

/**
 * Returns the kind that is compared, `undefined` for results. A folder or label may contain several kinds; then the kind of
 * the other sources is compared, and results if all contain them. Throws a usage error if no kind is on both sides.
 */
export async function comparedKind(sides: Sides): Promise<ComparedKind | undefined> {
  const named = await Promise.all(
    sideNames.flatMap((side) => sides[side].sources.map((source) => ofSource(source, sides[side].folder))),
  );
  if (named.every((source) => canBe(resultKind, source))) return undefined;
  const other = comparedKinds.all.find(({ kind }) => named.every((source) => canBe(kind, source)));
  if (other !== undefined) return other;
  const [one, another] = [result, ...comparedKinds.all].flatMap(({ kind, ...nouns }) => {
    const found = named.find(({ kinds }) => kinds.has(kind));
    return found === undefined ? [] : [{ ...nouns, source: found.source }];
  });
  throw usageError(
    `A ${one?.singular ?? ''} cannot be compared with a ${another?.singular ?? ''}: ${one?.source ?? ''} has ${one?.plural ?? ''}, ${another?.source ?? ''} ${another?.plural ?? ''}.`,
    'Name files of one kind on both sides; chat-load report FILE shows the contents of a file.',
  );
}

const result = { kind: resultKind, singular: 'result of a run', plural: 'results' };

interface Named {
  source: string;
  kinds: ReadonlySet<string>;
  /** True for a folder or a label, of which some documents are selected; of files, all are. */
  isChoice: boolean;
}

/** Reports whether a source can provide a kind; the reader rejects sources with no known kind. */
const canBe = (kind: string, { kinds, isChoice }: Named): boolean =>
  kinds.size === 0 || (kinds.has(kind) && (isChoice || kinds.size === 1));

async function ofSource(source: string, folder: string): Promise<Named> {
  const isLabel = source.startsWith(prefix);
  const behind = await kindsOf(isLabel ? folder : source);
  const known = new Set([resultKind, ...comparedKinds.all.map(({ kind }) => kind)].filter((kind) => behind.has(kind)));
  const kinds = isLabel && known.size > 1 ? await kindsOfLabel(source.slice(prefix.length), folder) : known;
  return { source, kinds, isChoice: isLabel || !/[*?]|\.json$/i.test(source) };
}

async function kindsOfLabel(label: string, folder: string): Promise<ReadonlySet<string>> {
  const { taken } = readFolderFacts({ folder }, (_, { run }) => run.label);
  const found = new Set<string>(taken.includes(label) ? [resultKind] : []);
  for (const { kind, load } of comparedKinds.all) {
    const { hasLabel } = await load();
    if (listJson(folder).some((file) => hasLabel(join(folder, file), label))) found.add(kind);
  }
  return found;
}
