import type { Plan } from '../../plan/plan.ts';
import type { Result } from '../../result/result.ts';
import { fact, factsOf, heads, table, type OutlineTable } from '../outline/outline.ts';
import { roundedMs, type Fact, type LinesBlock } from '../page/page.ts';
import {
  gateText,
  loadText,
  retryText,
  scheduleText,
  seedText,
  stopText,
  thinkText,
  turnsText,
} from '../plan/plan-text.ts';
import { formatCount, formatMs } from '../../base/format.ts';
import { cut } from '../words/width.ts';
import { inRun, listTable, titleIn, type RunSection, type ShownRun } from './shown-run.ts';

/** Builds the plan of the run: its load, and the options that differ from the defaults; a separate table lists the others. */
export const planSection: RunSection = (runs) => ({
  page: { id: 'plan', isSecondary: true, title: 'Plan', lead: '' },
  blocks: [
    { type: 'made', page: () => [...loadShapes(runs, 'closed'), ...loadShapes(runs, 'open')] },
    ...runs.map(({ result }) => ({ ...fact('options', optionsText(result.scenario.plan)), on: ['terminal'] as const })),
    ...runs.map((run) => listTable(titleIn(run, 'Plan'), planFacts(run.result.scenario.plan))),
    ...runs.map((run) => optionTable(run, 'Options that differ from the defaults', false)),
    ...runs.map((run) => optionTable(run, 'Options at their defaults', true)),
  ],
});

/** Draws the planned load. Only runs of the same load model share a unit, and thus a chart. */
function loadShapes(runs: readonly ShownRun[], model: Plan['load']['model']): LinesBlock[] {
  const shown = runs.filter(({ result }) => result.scenario.plan.load.model === model);
  if (shown.length === 0) return [];
  return [
    {
      type: 'lines',
      id: `load-shape-${model}`,
      title: model === 'open' ? 'Planned sessions per second' : 'Planned concurrent sessions',
      description: 'The planned load over the duration of the run.',
      x: { title: 'time since the start', form: 'durationMs', labels: [] },
      unit: model === 'open' ? 'perSecond' : 'count',
      form: 'line',
      series: shown.map((run) => ({ ...inRun(run, 'planned', 'first'), points: pointsOf(run.result) })),
      marks: shown.flatMap((run) =>
        run.timeline.marks.flatMap(({ kind, atMs, untilMs, label }) => {
          if (kind === 'ramp') return [];
          const isWarmUp = kind === 'warm_up';
          return [
            { x: isWarmUp ? (untilMs ?? atMs) : atMs, label: titleIn(run, isWarmUp ? 'end of the warm-up' : label) },
          ];
        }),
      ),
    },
  ];
}

/** Returns the corners of the load: it changes linearly between two of them; two at the same time are a step. */
function pointsOf({ run, scenario: { plan } }: Result): LinesBlock['series'][number]['points'] {
  const endMs =
    run.stop === null && plan.durationMs !== null ? Math.min(plan.durationMs, run.durationMs) : run.durationMs;
  const corners = plan.load.segments
    .filter(({ startMs }) => startMs <= endMs)
    .flatMap((segment) => {
      const untilMs = Math.min(segment.endMs ?? endMs, endMs);
      const part =
        segment.endMs === null || segment.endMs <= segment.startMs
          ? 1
          : (untilMs - segment.startMs) / (segment.endMs - segment.startMs);
      return [
        { x: segment.startMs, y: segment.from },
        { x: untilMs, y: segment.from + (segment.to - segment.from) * part },
      ];
    });
  return corners.map(({ x, y }) => ({ x: roundedMs(x), y, low: null, high: null }));
}

function planFacts(plan: Plan): Fact[] {
  const { sessions, warmUpMs, durationMs, gracePeriodMs } = plan;
  return factsOf({
    sessions: sessions === null ? 'as many as the duration allows' : formatCount(sessions),
    turns: turnsText(plan),
    load: loadText(plan),
    schedule: scheduleText(plan),
    'warm-up': warmUpMs === 0 ? 'none' : formatMs(warmUpMs),
    duration: durationMs === null ? 'until all sessions have ended' : `starting sessions for ${formatMs(durationMs)}`,
    'grace period': formatMs(gracePeriodMs),
    'think time': thinkText(plan),
    retries: retryText(plan),
    gates: gateText(plan),
    'stops early': stopText(plan, { maxTurnsMs: null, maxSessionsMs: null }),
    seed: seedText(plan),
  });
}

function optionTable(run: ShownRun, title: string, areDefaults: boolean): OutlineTable {
  const options = Object.entries(run.result.scenario.plan.options);
  const rows = options
    .filter(([, { from }]) => (from === 'default') === areDefaults)
    .map(([name, { value, from }]) => [name, valueText(value), from]);
  return table(titleIn(run, title), heads('option', 'value', 'from'), rows, {
    on: ['page'],
    ...(areDefaults && { isFolded: true }),
  });
}

/** Lists options that differ from the defaults: `sessions 5 (flag), seed 1; 147 others at their defaults (...)`. */
function optionsText({ options }: Plan): string {
  const all = Object.entries(options);
  const set = all.filter(([, { from }]) => from !== 'default');
  const texts = set
    .filter(([name]) => !shownElsewhere.includes(name))
    .map(([name, { value, from }]) => {
      const origin = from === 'file' ? '' : ` (${from})`;
      return `${name} ${cut(valueText(value), maxValueLength)}${origin}`;
    });
  const others = all.length - set.length;
  if (others === 0) return texts.join(', ');
  return `${texts.join(', ') || 'all defaults'}; ${formatCount(others)} others at their defaults (chat-load plan --json lists them)`;
}

const shownElsewhere: readonly string[] = ['name', 'gates'];
/** Columns of an option's value in a line of options. */
const maxValueLength = 40;

/** Formats a value: texts as they are, anything else as JSON. */
const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '-' : JSON.stringify(value);
