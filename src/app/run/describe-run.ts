import { randomUUID } from 'node:crypto';
import { readCalibration } from '../../edge/disk/calibration-file.ts';
import { describeEnvironment } from '../../edge/health/describe-environment.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { Settled } from '../../plan/settle.ts';
import type { JournalHeader } from '../../result/journal/journal.ts';
import type { RunFacts } from '../../result/sections/run-facts.ts';
import type { Warning } from '../../result/sections/warning.ts';
import { machineClassOf } from '../../compare/document/group-of.ts';
import type { CalibrationKey } from '../../result/sections/calibration.ts';
import type { Environment } from '../../result/sections/environment.ts';

/** How a run is called. */
export type RunNames = Pick<RunFacts, 'label' | 'sitting' | 'pair'>;

/** What is known of a run that is just about to start, without the key: the header of its journal. */
export async function describeRun(
  { plan, secrets }: Pick<Settled, 'plan' | 'secrets'>,
  { label, sitting, pair }: RunNames,
  warnings: readonly Warning[],
): Promise<JournalHeader> {
  const environment = await describeEnvironment();
  const calibration = await readCalibration(calibrationKey(environment));
  const redact = <Json>(document: Json): Json => secrets.redactDocument(document);
  const startedAt = new Date().toISOString();
  return {
    kind: 'chat-load/journal',
    schemaVersion: 1,
    run: { id: randomUUID(), label: redact(label), sitting, pair, startedAt, toolVersion },
    plan: redact(plan),
    environment,
    calibration,
    warnings: [...warnings],
  };
}

/** Whose calibration holds for runs of this version on a machine. */
export function calibrationKey(environment: Environment): CalibrationKey {
  return {
    toolVersion,
    host: environment.host,
    machine: machineClassOf(environment),
  };
}
