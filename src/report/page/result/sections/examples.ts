import type { PublishedExample } from '../../../../result/sections/example.ts';
import { placeOf } from '../../../run/outcome-table.ts';
import { countOf, formatCount, formatMs } from '../../../words/format.ts';
import { tableBlock } from '../shown/blocks.ts';
import type { SectionView } from '../shown/section-view.ts';
import { titleIn, type ShownRun } from '../shown/shown-run.ts';

/** A result of ours has at most ten of each class; one from elsewhere may have any number. */
const most = 500;

export const examples: SectionView = {
  id: 'examples',
  title: 'Examples of failures',
  lead: 'Some attempts that were not ok, as they came.',
  view: (runs) => runs.flatMap(ofRun),
};

function ofRun(run: ShownRun) {
  const all = run.result.examples;
  const hasTexts = all.some(({ texts }) => texts !== null);
  const hasTraces = all.some(({ traceId }) => traceId !== null);
  const columns = [...known, ...(hasTraces ? traced : []), ...(hasTexts ? said : [])];
  const rows = all
    .slice(0, most)
    .map((example) => [
      ...knownOf(example),
      ...(hasTraces ? [example.traceId ?? ''] : []),
      ...(hasTexts ? saidOf(example) : []),
    ]);
  const title = all.length > most ? `${formatCount(most)} of ${countOf(all.length, 'example')}` : 'Examples';
  return tableBlock({ title: titleIn(run, title), first: 'outcome' }, { columns, rows });
}

const right = 'right' as const;
const known = [
  { head: 'outcome' },
  { head: 'of' },
  { head: 'status', align: right },
  { head: 'at', align: right },
  { head: 'over' },
  { head: 'what was wrong' },
];
const traced = [{ head: 'trace id' }];
const said = [{ head: 'message' }, { head: 'reply' }];

const knownOf = (example: PublishedExample): string[] => [
  example.outcome,
  placeOf(example),
  example.status === 0 ? '-' : String(example.status),
  formatMs(example.atMs),
  example.protocol,
  example.detail,
];

const saidOf = ({ texts }: PublishedExample): string[] => [texts?.message ?? '', texts?.reply ?? ''];
