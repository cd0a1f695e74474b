import { join, relative } from 'node:path';
import { ChatLoadError, usageError } from '../base/errors.ts';
import { printableJson } from '../base/printable.ts';
import { readJournal, readJournalHeader } from '../edge/disk/read-journal.ts';
import { prepareFolder, writeUnderFreeName } from '../edge/disk/write-result.ts';
import { resultFileName } from '../result/file-name.ts';
import { JournalGathering, type Gathered } from '../result/journal/gather-journal.ts';
import type { JournalHeader } from '../result/journal/journal.ts';
import { warnOfLosses } from '../result/journal/journal-warnings.ts';
import { describeFleet } from '../result/sections/environment.ts';
import { buildResult, type Result } from '../result/result.ts';
import { checkGates } from './run/check-resolved.ts';

/** Builds the result of a run from its journal and writes it to a folder under a free name. Throws `environment` if it cannot be written. */
export async function recoverTo(folder: string, journal: string): Promise<{ result: Result; path: string }> {
  const result = await performRecovery(journal);
  await prepareFolder(folder);
  const name = resultFileName({ scenario: result.scenario.name, ...result.run });
  const file = await writeUnderFreeName(join(folder, name), `${printableJson(result, 1)}\n`);
  return { result, path: relative('.', file) };
}

/**
 * Builds the result of a run from its journal; its warnings list missing parts. Throws a usage error if the file is not a
 * journal or has no header.
 */
export async function performRecovery(file: string): Promise<Result> {
  try {
    return await recover(file, { isStrict: false });
  } catch (thrown) {
    if (thrown instanceof ChatLoadError) throw thrown;
    // An entry is invalid despite its checksum: validate every histogram before it is added.
    return await recover(file, { isStrict: true });
  }
}

async function recover(file: string, how: { isStrict: boolean }): Promise<Result> {
  const lines = readJournal(file);
  const first = await lines.next();
  const read = readJournalHeader(first.done === true ? undefined : first.value);
  if ('problem' in read) throw usageError(`${file} ${read.problem}.`, read.hint);
  const header = read.part;
  checkGates(header, file);
  const gathering = new JournalGathering(header, how);
  for await (const line of lines) gathering.add(line);
  return resultOf(header, gathering.end());
}

function resultOf({ run, plan, environment, calibration, warnings }: JournalHeader, gathered: Gathered): Result {
  const { snapshot, account, stop, losses, workers, warnings: noticed } = gathered;
  const { generator, samples: generatorSamples, traffic, transport } = account;
  const lost = warnOfLosses(losses);
  const endedAt = new Date(Date.parse(run.startedAt) + snapshot.elapsedMs).toISOString();
  return buildResult({
    plan,
    snapshot,
    run: { ...run, endedAt, status: 'recovered', stop },
    environment: environment && workers ? describeFleet(environment, workers) : environment,
    calibration,
    generator,
    generatorSamples,
    traffic,
    transport,
    warnings: [...warnings, ...noticed, ...lost],
    isWhole: losses.hasEnd && lost.every(({ code }) => code !== 'journal_incomplete'),
  });
}
