import type { IntervalEntry, JournalHeader } from '../../result/journal/journal.ts';
import { applyStep, type LiveEvents, type LiveState, type LiveStep, type LiveView } from '../../report/page/live.ts';
import type { Page } from '../../report/page/page.ts';
import type { Stop } from '../../result/sections/run-facts.ts';
import { LiveTimeline } from './live-timeline.ts';
import { LiveTotals } from './live-totals.ts';
import { doneText, viewLive } from './view-live.ts';

/** An event for every viewer: `step` for those who have what was before. */
export type LiveUpdate =
  { kind: 'page'; data: LiveEvents['page'] } | { kind: 'step'; data: LiveEvents['step'] } | { kind: 'nothing' };

/** The share of a core that figures and tables may take. */
const viewShare = 0.003;

/**
 * A run under way, as its journal has it, made into a page. The rows over time follow every piece; what is not over time
 * is made from the totals, as often as a small share of a core allows: every few seconds.
 */
export class LiveRun {
  readonly #header: JournalHeader;
  readonly #now: () => number;
  readonly #timeline: LiveTimeline;
  readonly #totals: LiveTotals;
  #page: Page | undefined;
  #viewDueAt = -Infinity;
  /** Of the latest views. */
  #costsMs: number[] = [];
  #hasFresh = false;
  #elapsedMs = 0;
  #phase: LiveState['phase'] = 'running';
  #stop: Stop | null = null;

  /** `now`: a clock in milliseconds, for what this costs. */
  constructor(header: JournalHeader, now: () => number) {
    this.#header = header;
    this.#now = now;
    this.#timeline = new LiveTimeline(header.run.label ?? header.plan.name);
    this.#totals = new LiveTotals(header);
  }

  /** Takes a closed interval: cheap. */
  add({ piece, elapsedMs, generator, samples, traffic, transport }: IntervalEntry): void {
    this.#elapsedMs = Math.max(this.#elapsedMs, elapsedMs);
    this.#timeline.add(piece, samples);
    this.#totals.add(piece, { generator, traffic, transport });
    this.#hasFresh = true;
  }

  /** The run is being stopped from now on, and why. */
  stopping(phase: 'draining' | 'cut', stop: Stop | null): void {
    this.#phase = phase;
    this.#stop ??= stop;
    this.#hasFresh = true;
    this.#viewDueAt = -Infinity;
  }

  /** The page as the last update left it. */
  page(): LiveEvents['page'] {
    this.#page ??= this.#viewAll();
    return { page: this.#page, state: this.#state() };
  }

  /** Brings the page up to date, and gives what has changed. */
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
    // Which has its rows already.
    const timelines = timeline === undefined ? [] : [timeline];
    this.#page = { ...applyStep(this.#page, { ...step, rows: null }), timelines };
    return { kind: 'step', data: step };
  }

  #viewAll(): Page {
    const startedAt = this.#now();
    if (this.#timeline.timeline === undefined) this.#timeline.advance(this.#facts());
    const { timeline, series } = this.#timeline;
    if (timeline === undefined) throw new Error('there is no timeline');
    const page = viewLive(this.#totals.result(this.#stop, this.#elapsedMs), { timeline, series });
    const endedAt = this.#now();
    // What else goes on in the machine, and code that has not been compiled yet, can only make it longer.
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
    return { elapsedMs: this.#elapsedMs, done: doneText(plan, this.#elapsedMs), phase: this.#phase };
  }

  #facts() {
    return this.#totals.facts(this.#stop, this.#elapsedMs);
  }
}
