import type { Block, Page } from '../../report/page/page.ts';
import { TimeChart } from '../chart/time-chart.tsx';
import { XyChart } from '../svg/xy-chart.tsx';
import { CurveView } from './curve-view.tsx';
import { FiguresView } from './figures-view.tsx';
import { HeatView } from './heat-view.tsx';
import { PercentilesView } from './percentiles-view.tsx';
import { RangesView } from './ranges-view.tsx';
import { TableView } from './table-view.tsx';

/** A block of a section, drawn by what it is. */
export function BlockView({ block, page: { timelines } }: { block: Block; page: Page }) {
  switch (block.type) {
    case 'figures':
      return <FiguresView block={block} />;
    case 'table':
      return <TableView block={block} />;
    case 'prose':
      return (
        <div class="prose">
          {block.lines.map((line) => (
            <p key={line}>{line}</p>
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
    case 'lines':
      return <XyChart block={block} />;
  }
}
