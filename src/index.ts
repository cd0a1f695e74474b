import type { CompareOptions } from './app/library/compare-given.ts';
import type { CapacityOptions } from './app/library/search-capacity.ts';
import type { Judgement } from './app/library/judge-result.ts';
import type { PlanOptions } from './app/library/plan-scenario.ts';
import type { RunOptions } from './app/library/run-scenario.ts';
import type { Capacity } from './capacity/document/capacity.ts';
import type { Comparison } from './compare/document/comparison.ts';
import type { PlanView } from './report/plan/plan-document.ts';
import type { Result } from './result/result.ts';
import type { DataLists, Scenario } from './scenario/scenario.ts';

// Every scenario file imports this module: what it does not need is loaded when it is called.

/**
 * Runs a scenario in this process and resolves with its result, whatever the verdicts on it (`judgeResult` gives those).
 * Leaves nothing behind in the process. Rejects with a `ChatLoadError` for what the user or the surroundings have to fix.
 */
export async function runScenario<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  options: RunOptions = {},
): Promise<Result> {
  return (await import('./app/library/run-scenario.ts')).runScenario(scenario, options);
}

/** What a run of a scenario would do, without sending anything. */
export async function planScenario<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  options: PlanOptions = {},
): Promise<PlanView> {
  return (await import('./app/library/plan-scenario.ts')).planScenario(scenario, options);
}

/** How a run came out, by the rules of the command's exit code. */
export async function judgeResult(result: Result): Promise<Judgement> {
  return (await import('./app/library/judge-result.ts')).judgeResult(result);
}

/** Searches the most load under which objectives hold, by steps of steady load, and resolves with what was found. */
export async function searchCapacity<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  options: CapacityOptions = {},
): Promise<Capacity> {
  return (await import('./app/library/search-capacity.ts')).searchCapacity(scenario, options);
}

/** Reads a result file, checked against its schema. Rejects with a `ChatLoadError` that names the file. */
export async function readResult(file: string): Promise<Result> {
  return (await import('./edge/disk/read-result.ts')).readResult(file);
}

/** Compares two releases by their results. */
export async function compareResults(options: CompareOptions): Promise<Comparison> {
  return (await import('./app/library/compare-given.ts')).compareGiven(options);
}

export { ChatLoadError } from './base/errors.ts';
export type { CompareOptions } from './app/library/compare-given.ts';
export type { CapacityOptions } from './app/library/search-capacity.ts';
export type { Judgement } from './app/library/judge-result.ts';
export type { PlanOptions } from './app/library/plan-scenario.ts';
export type { RunOptions } from './app/library/run-scenario.ts';
export type { OverrideValue, ScenarioSettings } from './app/library/settle-given.ts';
export type { Capacity } from './capacity/document/capacity.ts';
export type { Comparison } from './compare/document/comparison.ts';
export type { CalledTool, MessageParts, SaidMessage } from './protocol/defined/definition.ts';
export type { ErrorClass } from './protocol/outcome.ts';
export type { Plan } from './plan/plan.ts';
export type { Live as RunProgress } from './record/live.ts';
export type { PlanView } from './report/plan/plan-document.ts';
export type { Result } from './result/result.ts';
export { defineProtocol, type ProtocolDefinition } from './scenario/define-protocol.ts';
export { defineScenario } from './scenario/define-scenario.ts';
export { fromFile, type ConversationFile, type ConversationFileOptions } from './scenario/from-file.ts';
export type { Duration } from './scenario/duration.ts';
export type { DurationDistribution } from './scenario/duration-distribution.ts';
export type { MetricName } from './scenario/metric-name.ts';
export type { EmbeddedOptions } from './scenario/embedded.ts';
export type {
  AuthOptions,
  AuthText,
  ConversationScript,
  CreateSessionOptions,
  TargetTlsOptions,
  DataList,
  DataLists,
  GateOptions,
  Gates,
  GivenToken,
  HeardReply,
  IntegrityOptions,
  LoadOptions,
  MessageContext,
  MessageFunction,
  MessageOptions,
  NextContext,
  NextMessage,
  ReplyCost,
  RetryClass,
  RetryOptions,
  RetryPolicyOptions,
  Scenario,
  Stage,
  StopOptions,
  TargetOptions,
  TemplateContext,
  ThinkTimeOptions,
  ToolArguments,
  TokenFunction,
  ToolFunction,
  TurnOptions,
  ValueFunction,
  ValueTemplate,
} from './scenario/scenario.ts';
