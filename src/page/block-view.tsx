import type { Block, Page, Figure, FiguresBlock, TableBlock } from '../report/page/page.ts';
import { TimeChart } from './chart/time-chart.tsx';
import { XyChart, CurveView } from './chart/xy-chart.tsx';
import { HeatView } from './chart/heat-view.tsx';
import { PercentilesView } from './chart/percentiles-view.tsx';
import { RangesView } from './chart/ranges-view.tsx';
import { SpansView } from './chart/spans-view.tsx';
import { withUnits } from './chart/with-units.ts';

interface BlockProps {
  block: Block;
  /** True if the heading of the section names the block already. */
  isNamed: boolean;
  page: Page;
}

export function BlockView({ block, isNamed, page: { timelines } }: BlockProps) {
  switch (block.type) {
    case 'figures':
      return <FiguresView block={block} />;
    case 'table':
      return <TableView block={block} isNamed={isNamed} />;
    case 'prose':
      return (
        <div class="prose">
          {block.lines.map((line) => (
            <p key={line}>{withUnits(line)}</p>
          ))}
        </div>
      );
    case 'time':
      return <TimeChart block={block} timelines={timelines} />;
    case 'percentiles':
      return <PercentilesView block={block} timelines={timelines} />;
    case 'heat':
      return <HeatView block={block} timelines={timelines} />;
    case 'curve':
      return <CurveView block={block} />;
    case 'ranges':
      return <RangesView block={block} />;
    case 'spans':
      return <SpansView block={block} />;
    case 'lines':
      return <XyChart block={block} />;
  }
}

const stateTexts: Readonly<Record<Figure['state'], string>> = {
  good: 'good',
  bad: 'bad',
  doubtful: 'doubtful',
  plain: '',
};

function FiguresView({ block: { figures } }: { block: FiguresBlock }) {
  return (
    <dl
      class="figures"
      style={{ '--columns': evenColumns(figures.length, 7), '--wide-columns': evenColumns(figures.length, 8) }}
    >
      {figures.map(({ name, text, detail, state }) => (
        <div key={name} class="figure" data-state={state}>
          <dt>{name}</dt>
          <dd>
            <span class={text.length > maxLarge ? 'value long' : 'value'}>{withUnits(text)}</span>
            {stateTexts[state] === '' ? null : <span class="hidden"> ({stateTexts[state]})</span>}
            {detail === '' ? null : <span class="detail">{withUnits(detail)}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Maximum length of a figure in large type. */
const maxLarge = 12;

/** Returns the number of columns of at most `max` that fills the last row best. */
const evenColumns = (count: number, max: number): number => Math.ceil(count / Math.ceil(count / max));

/** A table; one that is too wide scrolls in its frame, a folded one opens by its title. */
function TableView({ block, isNamed }: { block: TableBlock; isNamed: boolean }) {
  const { title, rows, isFolded = false, legend } = block;
  if (!isFolded) return <ScrolledTable block={block} isTitled={isNamed} />;
  return (
    <details class="fold">
      <summary>
        {title} <span class="count">({rows.length})</span>
      </summary>
      {legend === undefined ? null : <p class="hint">{legend}</p>}
      <ScrolledTable block={block} isTitled />
    </details>
  );
}

/** A table without columns that have no value in any row. `isTitled`: the title is above the table already. */
function ScrolledTable({ block, isTitled }: { block: TableBlock; isTitled: boolean }) {
  const { title, rows } = block;
  const columns = block.columns
    .map((column, index) => ({ ...column, index }))
    .filter(({ index }) => rows.some(({ cells }) => !['', '-'].includes(cells[index] ?? '')));
  // The heads of a list of names and values are only for screen readers.
  const isList = columns.length === 2 && columns[0]?.head === 'name';
  const classes = block.columns.map(({ align }, index) => {
    const lengthOf = (parts: readonly string[]): number => Math.max(0, ...parts.map(({ length }) => length));
    const cells = rows.map((row) => row.cells[index] ?? '');
    const sentences = cells.filter((cell) => cell.includes(' '));
    const size = lengthOf(sentences) > maxShort || lengthOf(cells) > maxWord ? 'long' : 'short';
    const isEndless = lengthOf(cells.flatMap((cell) => cell.split(/\s/))) > maxWord;
    return [align, size, ...(lengthOf(cells) > maxName ? ['name'] : []), ...(isEndless ? ['endless'] : [])].join(' ');
  });
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={title}>
      <table>
        <caption class={isTitled ? 'hidden' : undefined}>{title}</caption>
        <thead class={isList ? 'hidden' : undefined}>
          <tr>
            {columns.map(({ head, align }) => (
              <th key={head} scope="col" class={align}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ cells, state }, at) => (
            <tr key={at} data-state={state}>
              {columns.map(({ head, index, link }, at) =>
                at === 0 ? (
                  <th key={head} scope="row" class={classes[index]}>
                    {breakable(withUnits(cells[index] ?? ''))}
                  </th>
                ) : (
                  <td key={head} class={classes[index]}>
                    {link === undefined ? withUnits(cells[index] ?? '') : linked(cells[index] ?? '', link)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Links the trace ids of a cell. */
const linked = (cell: string, template: string) =>
  cell.split(/\b([0-9a-f]{32})\b/).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <a key={part} href={template.replaceAll('{traceId}', part)} rel="noreferrer">
        {part}
      </a>
    ),
  );

/** Lets a long name break after its dots. */
const breakable = (name: string) =>
  name.split(/(?<=\.)(?=[a-z])/i).flatMap((part, at) => (at === 0 ? [part] : [<wbr key={at} />, part]));

/** Maximum length of texts that stay on one line, however narrow the page is. */
const maxShort = 24;
/** Maximum length of the name of a row on one line of a phone. */
const maxName = 22;
/** Maximum length of words that are never broken: names of metrics, but not JSON. */
const maxWord = 40;
