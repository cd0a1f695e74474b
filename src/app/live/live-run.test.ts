import { describe, expect, test } from 'vitest';
import { runFacts, surroundings } from '../../../test/support/synthetic-result.ts';
import { witness, type ServiceModel } from '../../../test/support/virtual-run.ts';
import { failedTurns } from '../../record/counters.ts';
import type { Snapshot } from '../../record/snapshot.ts';
import { applyStep } from '../../report/page/live.ts';
import type { Page } from '../../report/page/page.ts';
import { viewResults } from '../../report/run/result-outline.ts';
import type { JournalHeader } from '../../result/journal/journal.ts';
import type { Result } from '../../result/result.ts';
import type { GeneratorSample } from '../../result/sections/generator-health.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { LiveRun } from './live-run.ts';

/** A run, and the page of a viewer who was connected from the start, updated event by event. */
interface Followed {
  result: Result;
  live: LiveRun;
  page: Page;
  events: string[];
}

/** Updates the page after every interval, or only after some. */
async function follow(
  scenario: Partial<Scenario>,
  model: ServiceModel,
  isLooking: (second: number) => boolean = () => true,
): Promise<Followed> {
  const pieces: Snapshot[] = [];
  const { result } = await witness(scenario, model, { atMs: 0, forMs: 0, onInterval: (piece) => pieces.push(piece) });
  const live = liveOf(result);
  let { page } = live.page();
  const events: string[] = [];
  for (const piece of pieces) {
    add(live, piece);
    if (!isLooking(piece.elapsedMs / 1000)) continue;
    const update = live.update();
    events.push(update.kind);
    if (update.kind === 'page') page = update.data.page;
    // Serialized, as through a socket.
    if (update.kind === 'step') page = applyStep(page, JSON.parse(JSON.stringify(update.data)) as typeof update.data);
  }
  return { result, live, page, events };
}

const add = (live: LiveRun, piece: Snapshot, samples: readonly GeneratorSample[] = []): void =>
  live.add({
    kind: 'interval',
    run: runFacts.id,
    number: 1,
    elapsedMs: piece.elapsedMs,
    piece: { ...piece, totals: [] },
    generator: null,
    samples: [...samples],
    traffic: null,
    transport: null,
  });

function liveOf({ scenario: { plan } }: Result): LiveRun {
  const { id, label, sitting, pair, startedAt, toolVersion } = runFacts;
  const header: JournalHeader = {
    kind: 'chat-load/journal',
    schemaVersion: 1,
    run: { id, salt: null, label, sitting, pair, startedAt, toolVersion },
    plan,
    environment: surroundings.environment,
    calibration: null,
    warnings: [],
  };
  return new LiveRun(header, () => 0);
}

const failing: ServiceModel = (operation, at) => ({
  afterMs: 40 + (Math.round(at) % 30),
  status: operation === 'message' && at > 4000 && at < 6000 ? 503 : operation === 'create' ? 201 : 200,
});
const retries = { maxAttempts: 2, base: '100ms' } as const;

describe('a run that is followed', () => {
  test('has, when it is over, the rows of its result', async () => {
    const scenario = { duration: '12s', warmUp: '2300ms', turns: 4, retry: retries, load: { concurrency: 4 } } as const;
    const { result, page, events } = await follow(scenario, failing);
    const [whole] = viewResults([result]).timelines;
    expect(failedTurns(result.outcomes.turns)).toBeGreaterThan(0);
    // The first parts are separate: creations and turns, then failures.
    expect(events.filter((kind) => kind === 'step').length).toBeGreaterThan(events.length / 2);
    // Marks end with the last complete interval.
    expect(page.timelines[0]).toEqual({ ...whole, marks: page.timelines[0]?.marks });
    expect(page.timelines[0]?.marks.map(({ kind }) => kind)).toEqual(whole?.marks.map(({ kind }) => kind));
  });

  test('states its progress and the time left by duration, and by sessions', async () => {
    const load = { concurrency: 4 } as const;
    const timed = await follow({ duration: '12s', turns: 4, load }, failing, () => false);
    const { doneShare, done } = timed.live.page().state;
    expect(doneShare).toBe(1);
    expect(done).toMatch(/^\d+ s of 12 s, waiting for sessions in progress$/);
    const { result } = await follow({ sessions: 40, turns: 2, load }, failing, () => false);
    const live = liveOf(result);
    expect(live.page().state).toMatchObject({ doneShare: 0, done: expect.stringMatching(/^0 of 40 sessions after/) });
  });

  test('has the figures, outcomes and retries of its result', async () => {
    const scenario = { duration: '8s', turns: 4, retry: retries, load: { concurrency: 4 } } as const;
    const { result, page } = await follow(scenario, failing);
    const cards = ({ sections }: Page): string[] =>
      sections.flatMap(({ blocks }) =>
        blocks.flatMap((block) =>
          block.type === 'figures' ? block.figures.map(({ name, text }) => `${name} ${text}`) : [],
        ),
      );
    const whole = viewResults([result]);
    expect(cards(page).slice(0, 4)).toEqual(cards(whole).slice(0, 4));
    const tables = ({ sections }: Page, id: string) =>
      sections
        .filter((section) => section.id === id)
        .flatMap(({ blocks }) => blocks.filter(({ type }) => type === 'table'));
    expect(tables(page, 'outcomes').length).toBeGreaterThan(0);
    expect(tables(page, 'outcomes')).toEqual(tables(whole, 'outcomes'));
  });

  test('sends each row once, and again if a sample of its second arrives late', async () => {
    const pieces: Snapshot[] = [];
    const model = (): { afterMs: number } => ({ afterMs: 50 });
    const { result } = await witness({ duration: '6s', turns: 2, load: { concurrency: 2 } }, model, {
      atMs: 0,
      forMs: 0,
      onInterval: (piece) => pieces.push(piece),
    });
    const live = liveOf(result);
    const late = { startMs: 3000, lengthMs: 1000, rssBytes: 1, heapBytes: 1, eventLoopDelayP99Ms: 1, cpuShare: 0.25 };
    const sent = pieces.slice(0, 6).map((piece, at) => {
      add(live, piece, at === 4 ? [late] : []);
      const update = live.update();
      return update.kind === 'step' ? (update.data.rows?.rows.startMs ?? []) : update.kind;
    });
    expect(sent.slice(2)).toEqual([[2000], [3000], [3000, 4000], [5000]]);
    const { startMs = [], columns } = live.page().page.timelines[0] ?? {};
    expect(startMs).toEqual([0, 1000, 2000, 3000, 4000, 5000]);
    expect(columns?.['generator.cpuShare']).toEqual([null, null, null, 0.25, null, null]);
  });

  test('is the same for a late viewer', async () => {
    const { live, page } = await follow({ duration: '9s', turns: 3, load: { concurrency: 3 } }, failing);
    const late = live.page().page;
    expect(JSON.parse(JSON.stringify(late))).toEqual(JSON.parse(JSON.stringify(page)));
    expect(live.update().kind).toBe('nothing');
  });

  test('is read again as a whole if its intervals become wider, and continues from there', async () => {
    const scenario = { duration: '604s', turns: 1, thinkTime: '0s', load: { sessionsPerSecond: 1 } } as const;
    // Occasionally, and every second around the change.
    const isLooking = (second: number): boolean => second % 50 === 0 || second > 590;
    const { result, page, events } = await follow(scenario, () => ({ afterMs: 300 }), isLooking);
    expect(events.slice(1, 12)).not.toContain('page');
    expect(events.indexOf('page', 12)).toBeGreaterThan(15);
    expect(events.filter((kind) => kind === 'page').length).toBeLessThan(4);
    const whole = viewResults([result]).timelines[0];
    expect(page.timelines[0]?.startMs).toEqual(whole?.startMs);
    expect(page.timelines[0]?.columns).toEqual(whole?.columns);
    expect(page.timelines[0]?.heat).toEqual(whole?.heat);
  });

  test('is complete for the first viewer after minutes without viewers', async () => {
    const pieces: Snapshot[] = [];
    const { result } = await witness({ duration: '150s', turns: 1, load: { sessionsPerSecond: 2 } }, failing, {
      atMs: 0,
      forMs: 0,
      onInterval: (piece) => pieces.push(piece),
    });
    const live = liveOf(result);
    for (const piece of pieces) add(live, piece);
    live.update();
    expect(live.page().page.timelines[0]?.columns).toEqual(viewResults([result]).timelines[0]?.columns);
  });

  test('reports that it is running, and who stops it', async () => {
    const { live, page } = await follow({ duration: '5s', turns: 2, load: { concurrency: 2 } }, () => ({
      afterMs: 50,
    }));
    expect(page.verdict).toMatchObject({ state: 'running', sentence: 'RUNNING: no gate fails so far' });
    expect(page.sections.map(({ id }) => id)).not.toContain('books');
    live.stopping('draining', {
      kind: 'signal',
      reason: 'stopped by Drain on the live page',
      remedy: null,
      atMs: 4000,
    });
    live.update();
    const { page: after, state } = live.page();
    expect([state.phase, after.verdict.notes[0]]).toEqual(['draining', 'Stopped by Drain on the live page']);
  });

  test('is a page of finite numbers and texts', async () => {
    const { page } = await follow({ duration: '3s', turns: 2, load: { concurrency: 2 } }, failing);
    expect(JSON.parse(JSON.stringify(page))).toEqual(page);
  });
});
