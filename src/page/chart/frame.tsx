import { useState } from 'preact/hooks';
import type { ComponentChildren, RefObject } from 'preact';
import { copyPicture, pictureOf, saveFile, csvOf, type Sheet } from './save.ts';
import { withUnits } from './with-units.ts';
import { formatCount } from '../../base/format.ts';

interface FrameProps {
  block: { id: string; title: string; description: string };
  /** Element with the drawing. */
  element: RefObject<Element | null>;
  /** Title of a picture of the chart, if it differs from the title of the chart. */
  pictureTitle?: string;
  sheet: () => Sheet;
  children: ComponentChildren;
}

/** Frame of every chart: title, description, tools and the table of its data. */
export function Frame({ block: { id, title, description }, element, pictureTitle, sheet, children }: FrameProps) {
  const [message, setMessage] = useState('');
  const [isOpen, open] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      setMessage(await copyPicture(`${id}.png`, await pictureOf(pictureTitle ?? title, element.current)));
    } catch (error) {
      setMessage(`Cannot create the picture: ${error instanceof Error ? error.message : String(error)}.`);
    }
  };
  const saveCsv = (): void => {
    saveFile(`${id}.csv`, new Blob([csvOf(sheet()), '\r\n'], { type: 'text/csv' }));
    setMessage(`Saved as ${id}.csv.`);
  };
  return (
    <figure class="chart" id={`chart-${id}`} aria-labelledby={`${id}-caption`}>
      <figcaption>
        <span class="title" id={`${id}-caption`}>
          {title}
        </span>
        <span class="tools">
          <button type="button" onClick={() => void copy()} aria-label={`Copy the chart ${title} as PNG`}>
            PNG
          </button>
          <button type="button" onClick={saveCsv} aria-label={`Download the data of ${title} as CSV`}>
            CSV
          </button>
        </span>
        <p class="description">{withUnits(description)}</p>
      </figcaption>
      {children}
      <p class="message" role="status">
        {message}
      </p>
      <details class="behind" onToggle={(event) => open(event.currentTarget.open)}>
        <summary>Table: {title}</summary>
        {isOpen ? <SheetView title={title} sheet={sheet()} /> : null}
      </details>
    </figure>
  );
}

/** Maximum number of rows in a table; more take seconds to render and are in the CSV. */
const maxRows = 1000;

function SheetView({ title, sheet: { columns, rows } }: { title: string; sheet: Sheet }) {
  return (
    <>
      {rows.length > maxRows ? (
        <p>
          The first {formatCount(maxRows)} of {formatCount(rows.length)} rows; the CSV contains all.
        </p>
      ) : null}
      <div class="scroll" tabIndex={0} role="group" aria-label={`Table: ${title}`}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, maxRows).map((row, at) => (
              <tr key={at}>
                {row.map((cell, index) => (
                  <td key={index} class={typeof cell === 'number' ? 'right' : 'left'}>
                    {cell === null ? '-' : typeof cell === 'number' ? cell.toLocaleString('en-US') : cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

export function Empty() {
  return <p class="empty">No values.</p>;
}
