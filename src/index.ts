import './features.ts';
import type { CompareOptions, Judgement, RenderOptions } from './app/library/documents.ts';
import type { RunOptions } from './app/library/run-scenario.ts';
import type { PlanOptions } from './app/library/resolve-given.ts';
import type { Comparison } from './compare/document/comparison.ts';
import type { Documents, Kind } from './report/documents.ts';
import type { PlanView } from './report/plan/plan-document.ts';
import type { Result } from './result/result.ts';
import type { DataLists } from './scenario/scenario-values.ts';
import type { Scenario } from './scenario/scenario.ts';

// Every scenario file imports this module, so functions load their code on demand.

/**
 * Runs a scenario in this process and resolves with its result, whatever its verdicts (see `judgeResult`). Leaves no
 * listener, timer, handle or changed setting in the process. Rejects with a `ChatLoadError`: usage for an invalid scenario
 * or option, or a function of the scenario that threw; environment for an unreachable target, or a result that cannot be
 * written to its folder. Rejects with errors thrown by functions of the caller.
 */
export async function runScenario<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  options: RunOptions = {},
): Promise<Result> {
  return (await import('./app/library/run-scenario.ts')).runScenario(scenario, options);
}

/** Describes what a run of a scenario would do, without sending anything. */
export async function planScenario<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  options: PlanOptions = {},
): Promise<PlanView> {
  return (await import('./app/library/resolve-given.ts')).planScenario(scenario, options);
}

/** Judges a result by the rules of the command's exit code. */
export async function judgeResult(result: Result): Promise<Judgement> {
  return (await import('./app/library/documents.ts')).judgeResult(result);
}

/** Reads a result file, checked against its schema. Rejects with a `ChatLoadError` that names the file. */
export async function readResult(file: string): Promise<Result> {
  return (await import('./edge/disk/read-result.ts')).readResult(file);
}

/** Renders any document of this library, or of the command's `--json`, as text or as a page. */
export async function renderDocument(document: Documents[Kind], options: RenderOptions = {}): Promise<string> {
  return (await import('./app/library/documents.ts')).renderGiven(document, options);
}

/** Compares two releases by their results. */
export async function compareResults(options: CompareOptions): Promise<Comparison> {
  return (await import('./app/library/documents.ts')).compareGiven(options);
}

export * from './features/capacity/index.ts';
export { ChatLoadError, type ErrorCode } from './base/errors.ts';
export type { CompareOptions, Judgement, Margin, RenderOptions } from './app/library/documents.ts';
export type { RunOptions } from './app/library/run-scenario.ts';
export type { OptionsOf, OverrideValue, PlanOptions, ScenarioSettings, Share } from './app/library/resolve-given.ts';
export type { CalibrationDocument as Calibration } from './calibrate/calibration-document.ts';
export type { Comparison } from './compare/document/comparison.ts';
export type { Trend } from './compare/trend/trend.ts';
export type { CheckDocument } from './conformance/check-document.ts';
export type { DatasetDocument } from './dataset/inspect/dataset-document.ts';
export type { Fit } from './fit/document/fit.ts';
export type { Plan } from './plan/plan.ts';
export type * from './protocol/defined/definition.ts';
export type { AttemptClass, ErrorClass, FailedClass, FinishedClass, TurnClass } from './protocol/outcome.ts';
export type { CloseClass } from './protocol/close-class.ts';
export type { Operation, ToolCall, ToolResult, Usage } from './protocol/protocol.ts';
export type { UsageForm } from './protocol/usage.ts';
export type { Live as RunProgress } from './record/live.ts';
export type { Documents, Kind as DocumentKind } from './report/documents.ts';
export type { PlanView } from './report/plan/plan-document.ts';
export type { Result } from './result/result.ts';
export { defineProtocol, type ProtocolDefinition } from './scenario/define-protocol.ts';
export { defineScenario } from './scenario/define-scenario.ts';
export type { DurationDistribution } from './scenario/duration-distribution.ts';
export type { Duration } from './scenario/duration.ts';
export type { FaultOptions, FaultTimingOptions } from './scenario/embedded-faults.ts';
export type { SabotageOptions } from './scenario/embedded-sabotage.ts';
export type { StrikeTimingOptions } from './scenario/embedded-timing.ts';
export { fromFile, type ConversationFile, type ConversationFileOptions } from './scenario/from-file.ts';
export type { ProtocolName } from './protocol/registry/registry.ts';
export type { MetricName } from './scenario/metric-name.ts';
export type { AbandonOptions } from './scenario/abandon-options.ts';
export type { Objectives } from './scenario/objective-options.ts';
export type * from './scenario/scenario.ts';
