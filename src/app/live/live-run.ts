import type { IntervalEntry, JournalHeader, GeneratorAccount } from '../../result/journal/journal.ts';
import { applyStep, type LiveEvents, type LiveState, type LiveStep, type LiveView } from '../../report/page/live.ts';
import type { Page, Verdict } from '../../report/page/page.ts';
import type { Stop } from '../../result/sections/run-facts.ts';
import { LiveTimeline } from './live-timeline.ts';
import { mergeSnapshots, type Snapshot } from '../../record/snapshot.ts';
import { buildResult, type Result } from '../../result/result.ts';
import { nothingOf } from '../../result/journal/gather-journal.ts';
import { countOf, formatCount, formatElapsed } from '../../base/format.ts';
import { sumCounters } from '../../record/counters.ts';
import type { Plan } from '../../plan/plan.ts';
import type { RunOverTime } from '../../report/run/build-timeline.ts';
import { showRuns } from '../../report/run/shown-run.ts';
import { viewShown } from '../../report/run/result-outline.ts';
import { stopText } from '../../report/run/load-section.ts';

/** An event for every viewer; a `step` updates the previous page. */
type LiveUpdate =
  { kind: 'page'; data: LiveEvents['page'] } | { kind: 'step'; data: LiveEvents['step'] } | { kind: 'nothing' };

/** Maximum share of a core for figures and tables. */
const viewShare = 0.003;

/**
 * Page of an active run, built from its journal. The time series are updated with every interval; the other sections are
 * rebuilt from the totals every few seconds, as often as a small share of a core allows.
 */
export class LiveRun {
  readonly #header: JournalHeader;
  readonly #now: () => number;
  readonly #timeline: LiveTimeline;
  /** Totals without intervals; the snapshots of the latest intervals are merged into them later. */
  #totals: Snapshot;
  #unmerged: Snapshot[] = [];
  #account: Omit<GeneratorAccount, 'samples'> = { generator: null, traffic: null, transport: null };
  #page: Page | undefined;
  #viewDueAt = -Infinity;
  #costsMs: number[] = [];
  #hasFresh = false;
  #elapsedMs = 0;
  #endedSessions = 0;
  #phase: LiveState['phase'] = 'running';
  #stop: Stop | null = null;

  /** `now`: clock in milliseconds that measures the build time. */
  constructor(header: JournalHeader, now: () => number) {
    this.#header = header;
    this.#now = now;
    this.#timeline = new LiveTimeline(header.run.label ?? header.plan.name);
    this.#totals = nothingOf(header);
  }

  /** Adds a closed interval; cheap. */
  add({ piece, elapsedMs, samples, generator, traffic, transport }: IntervalEntry): void {
    this.#elapsedMs = Math.max(this.#elapsedMs, elapsedMs);
    this.#timeline.add(piece, samples);
    this.#account = { generator, traffic, transport };
    this.#unmerged.push(sumsOf(piece));
    if (this.#unmerged.length === maxUnmerged) this.#merge();
    this.#endedSessions += endedSessions(piece);
    this.#hasFresh = true;
  }

  /** Marks the run as stopping, with the reason. */
  stopping(phase: 'draining' | 'cut', stop: Stop | null): void {
    this.#phase = phase;
    this.#stop ??= stop;
    this.#hasFresh = true;
    this.#viewDueAt = -Infinity;
  }

  page(): LiveEvents['page'] {
    this.#page ??= this.#viewAll();
    return { page: this.#page, state: this.#state() };
  }

  /** Updates the page and returns the changes. */
  update(): LiveUpdate {
    if (!this.#hasFresh) return { kind: 'nothing' };
    this.#hasFresh = false;
    const rows = this.#timeline.advance(this.#facts());
    if (this.#page === undefined || rows === 'whole') {
      this.#page = this.#viewAll();
      return { kind: 'page', data: this.page() };
    }
    const step: LiveStep = { state: this.#state(), rows, view: this.#viewChanged(this.#page) };
    const { timeline } = this.#timeline;
    // The timeline already contains the new rows.
    const timelines = timeline === undefined ? [] : [timeline];
    this.#page = { ...applyStep(this.#page, { ...step, rows: null }), timelines };
    return { kind: 'step', data: step };
  }

  #viewAll(): Page {
    const startedAt = this.#now();
    if (this.#timeline.timeline === undefined) this.#timeline.advance(this.#facts());
    const { timeline, series } = this.#timeline;
    if (timeline === undefined) throw new Error('the timeline is missing');
    const page = viewLive(this.#resultSoFar(), { timeline, series });
    const endedAt = this.#now();
    // The minimum counts: other load on the machine and uncompiled code only make it longer.
    this.#costsMs = [endedAt - startedAt, ...this.#costsMs].slice(0, 4);
    const isWarm = this.#costsMs.length === 4;
    this.#viewDueAt = endedAt + (isWarm ? Math.min(...this.#costsMs) / viewShare : 0);
    return page;
  }

  #viewChanged(before: Page): LiveView | null {
    if (this.#now() < this.#viewDueAt) return null;
    const { facts, verdict, sections } = this.#viewAll();
    const texts = new Map(before.sections.map((section) => [section.id, JSON.stringify(section)]));
    return {
      facts,
      verdict,
      order: sections.map(({ id }) => id),
      sections: sections.filter((section) => texts.get(section.id) !== JSON.stringify(section)),
    };
  }

  #state(): LiveState {
    const { plan } = this.#header;
    const [elapsedMs, phase, ended] = [this.#elapsedMs, this.#phase, this.#endedSessions];
    const doneShare = doneShareOf(plan, elapsedMs, ended);
    return { elapsedMs, done: doneText(plan, { elapsedMs, ended, doneShare, phase }), doneShare, phase };
  }

  #facts(): Pick<Result, 'run' | 'scenario'> {
    const { run, plan } = this.#header;
    const [stop, durationMs] = [this.#stop, this.#elapsedMs];
    const endedAt = new Date(Date.parse(run.startedAt) + durationMs).toISOString();
    return {
      run: { ...run, endedAt, status: 'recovered', stop, durationMs },
      scenario: { name: plan.name, hash: plan.hash, seed: plan.seed, plan },
    };
  }

  /** Returns the result so far, which has no intervals. */
  #resultSoFar(): Result {
    this.#merge();
    const { plan, environment, calibration, warnings } = this.#header;
    return buildResult({
      plan,
      snapshot: { ...this.#totals, elapsedMs: this.#elapsedMs },
      run: this.#facts().run,
      environment,
      calibration,
      ...this.#account,
      warnings,
      isWhole: false,
      isUnderWay: true,
    });
  }

  #merge(): void {
    this.#totals = mergeSnapshots(this.#totals, ...this.#unmerged.splice(0));
  }
}

/** Number of intervals that are merged together, because merging is slow. */
const maxUnmerged = 60;

/**
 * Returns the totals of a snapshot, which a journal stores only in its interval. Its levels cover the time so far, because
 * there are no intervals that they could belong to.
 */
const sumsOf = (piece: Snapshot): Snapshot => ({
  ...piece,
  totals: piece.intervals.map(({ warmUp, policy, counters, series }) => ({ warmUp, policy, counters, series })),
  intervals: [],
  levels: piece.levels.map((levels) => ({ ...levels, startMs: 0 })),
});

/** Returns the page of an active run. `soFar`: its result so far, without intervals; these are in its timeline. */
function viewLive(soFar: Result, overTime: RunOverTime): Page {
  const page = viewShown(showRuns([soFar], () => overTime));
  return {
    ...page,
    facts: page.facts.map(({ name, text }) =>
      name === 'duration' ? { name, text: lengthText(soFar) } : { name, text },
    ),
    verdict: verdictOf(soFar),
    sections: page.sections.filter(({ id }) => !['drift', 'books'].includes(id)),
  };
}

function endedSessions({ intervals }: Snapshot): number {
  const { sessions } = sumCounters(intervals.map(({ counters }) => counters));
  return sessions.completed + sessions.failed + sessions.cut + sessions.create_failed + sessions.create_cut;
}

type Planned = Pick<Plan, 'durationMs' | 'sessions'>;

/** Returns the greater fraction of time and sessions, since either ends a run; null without a plan for both. */
function doneShareOf({ durationMs, sessions }: Planned, elapsedMs: number, ended: number): number | null {
  const shares = [
    ...(durationMs === null ? [] : [elapsedMs / durationMs]),
    ...(sessions === null ? [] : [ended / sessions]),
  ];
  return shares.length === 0 ? null : Math.min(1, Math.max(...shares));
}

/** A remaining time from a smaller fraction would mislead. */
const minForecastShare = 0.02;

/** Formats the progress: `12 s of 1m00s, about 48 s left`, `40 of 400 sessions after 12 s, about 1m48s left`. */
function doneText(
  { durationMs, sessions }: Planned,
  { elapsedMs, ended, doneShare, phase }: Omit<LiveState, 'done'> & { ended: number },
): string {
  const elapsed = formatElapsed(elapsedMs);
  const byTime = durationMs === null ? elapsed : `${elapsed} of ${formatElapsed(durationMs)}`;
  const done = sessions === null ? byTime : `${formatCount(ended)} of ${countOf(sessions, 'session')} after ${byTime}`;
  if (phase !== 'running' || doneShare === null || doneShare < minForecastShare) return done;
  if (doneShare >= 1) return `${done}, waiting for sessions in progress`;
  return `${done}, about ${formatElapsed((elapsedMs * (1 - doneShare)) / doneShare)} left`;
}

const lengthText = ({ run }: Result): string => `in progress; figures cover the first ${formatElapsed(run.durationMs)}`;

function verdictOf({ gates, run, validity }: Result): Verdict {
  const failing = gates.filter(({ verdict }) => verdict === 'fail').map(({ metric }) => metric);
  const sentence = failing.length === 0 ? 'no gate fails so far' : `failing gates so far: ${failing.join(', ')}`;
  const stopped = run.stop === null ? [] : [`S${stopText(run.stop).slice(1)}`];
  const doubts = validity.reasons.map(({ message }) => `So far: ${message}`);
  return {
    state: 'running',
    sentence: `RUNNING: ${sentence}`,
    notes: [
      ...stopped,
      ...doubts,
      'Verdict, confidence intervals, drift and consistency checks are added when the run ends.',
    ],
  };
}
