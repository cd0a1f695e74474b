import { join } from 'node:path';
import type { ResultFacts, ResultHead } from '../../compare/document/group-of.ts';
import { UnreadableHistogram } from '../../record/sparse-histogram.ts';
import { listJson } from './folder-files.ts';
import { readResultFacts, readWholeResult, type PartReading } from './read-result-part.ts';

export interface ResultsReading<Taken> {
  /** In the order of the files. */
  taken: Taken[];
  /** Unusable files; other documents of chat-load are skipped. */
  skipped: { file: string; problem: string }[];
}

/** Reads of results in a folder which runs they are of: of all in it, not in folders within it, unless files are named. */
export function readFolderFacts<Taken>(
  { folder, files = listJson(folder) }: { folder: string; files?: readonly string[] | undefined },
  take: (file: string, facts: ResultFacts) => Taken,
): ResultsReading<Taken> {
  const asked = files.map((file) => ({ file }));
  return readEach(asked, ({ file }) => {
    const reading = readResultFacts(join(folder, file));
    return 'part' in reading ? { part: take(file, reading.part) } : reading;
  });
}

/** Reads some of the results in a folder; `take` keeps of each what is needed, and throws where a histogram cannot be read. */
export function readFolderHeads<Asked extends { file: string }, Taken>(
  { folder, asked }: { folder: string; asked: readonly Asked[] },
  take: (asked: Asked, head: ResultHead) => Taken,
): ResultsReading<Taken> {
  return readEach(asked, (each) => {
    const reading = readWholeResult(join(folder, each.file));
    return 'part' in reading ? taken(() => take(each, reading.part)) : reading;
  });
}

function taken<Taken>(take: () => Taken): PartReading<Taken> {
  try {
    return { part: take() };
  } catch (thrown) {
    if (!(thrown instanceof UnreadableHistogram)) throw thrown;
    return { problem: `contains a histogram that cannot be read: ${thrown.message}` };
  }
}

function readEach<Asked extends { file: string }, Taken>(
  asked: readonly Asked[],
  read: (each: Asked) => PartReading<Taken>,
): ResultsReading<Taken> {
  const readings = asked.map((each) => ({ file: each.file, reading: read(each) }));
  return {
    taken: readings.flatMap(({ reading }) => ('part' in reading ? [reading.part] : [])),
    skipped: readings.flatMap(({ file, reading }) =>
      'problem' in reading ? [{ file, problem: reading.problem }] : [],
    ),
  };
}
