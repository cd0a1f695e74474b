import { ms, type Ms } from '../base/time.ts';
import type { ScenarioProblem } from '../scenario/compile-value.ts';
import type { ResolvedDistribution } from '../scenario/duration-distribution.ts';
import { loadShape } from '../scenario/load-options.ts';
import { orDefault } from '../scenario/option.ts';
import type { ReadScenario } from '../scenario/schema.ts';
import type { ResolvedTurns } from '../scenario/turn-options.ts';
import { likelyInput } from '../trace/input-of.ts';
import type { FoundLines, OpenedTrace, TraceInput, TraceSource } from '../trace/trace.ts';
import { windowTrace } from '../trace/window-trace.ts';
import type { Segment, TracePlan } from './plan.ts';

/** A trace as a scenario replays it. */
export interface Replay {
  /** The sessions of its window, in the time of the run. */
  readonly source: TraceSource;
  /** True if turns are sent at their recorded times; otherwise after the scenario's think time. */
  readonly keepsPace: boolean;
  /** The scenario's maximum number of turns of a session; `undefined`: all recorded turns. */
  readonly bound: ResolvedTurns | undefined;
  /** Content of the trace's input tokens; `undefined`: decided for each session. */
  readonly input?: TraceInput | undefined;
}

/** Parts of the plan that a trace defines. */
export interface ResolvedReplay {
  replay: Replay;
  plan: TracePlan;
  segments: Segment[];
  durationMs: Ms;
  /** Mean of the trace's turns: for forecasts. */
  turns: ResolvedTurns;
  thinkTime: ResolvedDistribution;
}

/** Resolves the trace of a scenario; `keepsPace`: the author set no think time; `undefined` for a scenario without one, or if there is a problem. */
export function resolveReplay(
  scenario: ReadScenario,
  keepsPace: boolean,
  problems: ScenarioProblem[],
): ResolvedReplay | undefined {
  const { load } = scenario;
  if (load.trace === undefined) return undefined;
  const refuse = (path: string, message: string): undefined => void problems.push({ path, message });
  if ('file' in load.trace)
    return refuse('load.trace', 'the file was not read: load the scenario from a file, or with runScenario');
  const trace = load.trace.opened;
  const window = {
    fromMs: orDefault(loadShape.from, load.from),
    forMs: load.for ?? null,
    speed: orDefault(loadShape.speed, load.speed),
  };
  const source = windowTrace(trace, window);
  if (source.count === 0)
    return refuse(
      'load.from',
      `no session of the trace starts there: its last one starts after ${inSeconds(trace.lengthMs)}`,
    );
  const { sessions, duration } = scenario;
  if (sessions !== undefined && sessions > source.count)
    return refuse(
      'sessions',
      `is more than the trace has: ${String(source.count)}${load.for === undefined ? '' : ' in its window'}`,
    );
  const isCut = window.forMs !== null && window.fromMs + window.forMs <= trace.endMs;
  // Sessions must start before the end of a run, including the last request of a trace.
  const durationMs = ms(isCut ? source.endMs : Math.ceil(source.endMs) + 1);
  if (duration === undefined && scenario.warmUp > 0 && scenario.warmUp >= durationMs)
    return refuse('warmUp', `is not shorter than the replay, ${inSeconds(durationMs)}: nothing would be measured`);
  const input = load.columns?.input ?? likelyInput(trace.facts.inputs);
  const replay = { source, keepsPace, bound: scenario.turns, input };
  return { replay, durationMs, ...summarize(scenario, replay, durationMs), plan: planOf(scenario, trace, replay) };
}

/** Number of skipped lines that a plan lists. */
export const listedLines = 5;

function planOf(
  { load }: ReadScenario,
  { file, facts: { form, times, malformed, unitDoubt, doubtful, inputs }, digest }: OpenedTrace,
  { source, keepsPace }: Replay,
): TracePlan {
  return {
    file,
    form,
    times,
    digest,
    sessions: source.count,
    skipped: listed(malformed),
    ...(unitDoubt === undefined ? {} : { unitDoubt }),
    ...(doubtful.count === 0 ? {} : { doubtful: listed(doubtful) }),
    ...(inputs.whole + inputs.fresh === 0 ? {} : { inputs }),
    speed: orDefault(loadShape.speed, load.speed),
    fromMs: orDefault(loadShape.from, load.from),
    forMs: load.for ?? null,
    columns: load.columns ?? null,
    sort: orDefault(loadShape.sort, load.sort),
    keepsPace,
  };
}

const listed = ({ count, first }: FoundLines) => ({ lines: count, first: first.slice(0, listedLines) });

/** Derives the levels, turns and think time from the start of every session. */
function summarize(
  { thinkTime }: ReadScenario,
  { source, keepsPace, bound }: Replay,
  durationMs: Ms,
): Pick<ResolvedReplay, 'segments' | 'turns' | 'thinkTime'> {
  const max = bound?.kind === 'constant' ? bound.turns : Infinity;
  let [turns, squares, lengthMs, waits] = [0, 0, 0, 0];
  function* startsMs(): Generator<number> {
    for (let index = 0; index < source.count; index++) {
      const start = source.startAt(index);
      const own = Math.min(start.turns, max);
      turns += own;
      squares += own * own;
      lengthMs += start.lengthMs;
      waits += start.turns - 1;
      yield start.atMs;
    }
  }
  const segments = levelsOf(startsMs(), durationMs);
  const mean = turns / source.count;
  const sd = Math.sqrt(Math.max(0, squares / source.count - mean * mean));
  return {
    segments,
    turns: bound === undefined || max !== Infinity ? { kind: 'normal', mean, sd } : bound,
    thinkTime: keepsPace ? { kind: 'constant', ms: ms(waits === 0 ? 0 : lengthMs / waits) } : thinkTime,
  };
}

const inSeconds = (lengthMs: number): string => `${String(Math.round(lengthMs) / 1000)} s`;

/** More levels would make plans long, and charts no better. */
const maxLevels = 120;
const second = 1000;
const niceMs = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400].map(
  (seconds) => seconds * second,
);

/** Tolerance for binary fractions, which miss the edge of a step by less. */
const edgeMs = 0.001;

/** Returns the step length for a trace of this length: a second or more. */
export function levelStepMs(durationMs: Ms): number {
  return niceMs.find((each) => durationMs / each <= maxLevels) ?? durationMs / maxLevels;
}

/**
 * Returns the rate of sessions that start at these times, in steps of a second or more, as levels of open load; 0 after
 * the end. A shorter last step has the rate of the whole step that ends with the trace: one session at the very end is
 * not a peak.
 */
export function levelsOf(startsMs: Iterable<number>, durationMs: Ms): Segment[] {
  const stepMs = levelStepMs(durationMs);
  const counts = Array.from({ length: Math.max(1, Math.ceil(durationMs / stepMs)) }, () => 0);
  const last = counts.length - 1;
  let atEnd = 0;
  for (const atMs of startsMs) {
    const step = Math.floor((atMs + edgeMs) / stepMs);
    if (step <= last) counts[step] = (counts[step] ?? 0) + 1;
    if (atMs + edgeMs >= durationMs - stepMs) atEnd++;
  }
  if (counts.length * stepMs > durationMs) counts[last] = atEnd;
  const segments = counts.map((count, step) => {
    const level = (count * second) / stepMs;
    return { startMs: ms(step * stepMs), endMs: ms(Math.min(durationMs, (step + 1) * stepMs)), from: level, to: level };
  });
  return [...joined(segments), { startMs: durationMs, endMs: null, from: 0, to: 0 }];
}

/** Neighbours of one level are one segment. */
function joined(segments: readonly Segment[]): Segment[] {
  const result: Segment[] = [];
  for (const segment of segments) {
    const last = result.at(-1);
    if (last?.to === segment.from) last.endMs = segment.endMs;
    else result.push({ ...segment });
  }
  return result;
}
