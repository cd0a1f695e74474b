import { randomUUID } from 'node:crypto';
import { newSalt } from '../../edge/new-run.ts';
import { readCalibration } from '../../edge/disk/calibration-file.ts';
import { describeEnvironment } from '../../edge/health/describe-environment.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import type { JournalHeader } from '../../result/journal/journal.ts';
import { type RunFacts, publishStop, type Stop } from '../../result/sections/run-facts.ts';
import type { Warning } from '../../result/sections/warning.ts';
import { machineClassOf } from '../../compare/document/group-of.ts';
import type { CalibrationKey } from '../../result/sections/calibration.ts';
import type { Environment } from '../../result/sections/environment.ts';
import { excerpt } from '../../base/excerpt.ts';
import { mapTexts } from '../../base/printable.ts';
import { buildResult, type ResultParts, type Result } from '../../result/result.ts';
import type { RunOutcome } from '../../run.ts';

export interface RunNames extends Pick<RunFacts, 'label' | 'sitting' | 'pair'> {
  /** Salt of the integrity guard, shared by the runs of a pair. Default: a new one. */
  salt?: string | undefined;
}

/** Returns the header of a journal: the facts about a run before its start, without secrets. */
export async function describeRun(
  { plan, secrets }: Pick<ResolvedScenario, 'plan' | 'secrets'>,
  { label, sitting, pair, salt = newSalt() }: RunNames,
  warnings: readonly Warning[],
): Promise<JournalHeader> {
  const environment = await describeEnvironment();
  const calibration = await readCalibration(calibrationKey(environment));
  const redact = <Json>(document: Json): Json => secrets.redactDocument(document);
  const startedAt = new Date().toISOString();
  return {
    kind: 'chat-load/journal',
    schemaVersion: 1,
    run: { id: randomUUID(), salt, label: redact(label), sitting, pair, startedAt, toolVersion },
    plan: redact(plan),
    environment,
    calibration,
    warnings: [...warnings],
  };
}

/** Returns the key of the calibration for runs of this version on a machine. */
export function calibrationKey(environment: Environment): CalibrationKey {
  return { toolVersion, host: environment.host, machine: machineClassOf(environment) };
}

/** Builds the result of a completed run, without secrets. */
export function publishRun(
  { plan, secrets }: Pick<ResolvedScenario, 'plan' | 'secrets'>,
  { snapshot, elapsedMs, stop, warnings }: RunOutcome,
  around: Omit<ResultParts, 'plan' | 'snapshot' | 'run'> & { run: JournalHeader['run'] },
): Result {
  const run: RunFacts = {
    ...around.run,
    endedAt: new Date(Date.parse(around.run.startedAt) + elapsedMs).toISOString(),
    status: statusOf(stop),
    stop: publishedStop(stop, { plan, secrets }),
  };
  return buildResult({
    ...around,
    run,
    plan: secrets.redactDocument(plan),
    snapshot,
    warnings: [...around.warnings, ...warnings],
  });
}

/** Returns the reason for an early end, as in results and journals: without secrets. */
export function publishedStop(
  stop: RunOutcome['stop'],
  { plan, secrets }: Pick<ResolvedScenario, 'plan' | 'secrets'>,
): Stop | null {
  return mapTexts(publishStop(stop, plan.target), (text) => excerpt(text, (whole) => secrets.redact(whole), 1000));
}

function statusOf(stop: RunOutcome['stop']): RunFacts['status'] {
  if (stop === undefined) return 'completed';
  return stop.kind === 'signal' ? 'interrupted' : 'stopped';
}
