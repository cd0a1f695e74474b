import type { TableBlock } from '../../report/page/page.ts';

/** A table that scrolls sideways where it does not fit. */
export function TableView({ block: { title, columns, rows } }: { block: TableBlock }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption>{title}</caption>
        <thead>
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
              {columns.map(({ head, align }, index) =>
                index === 0 ? (
                  <th key={head} scope="row" class={align}>
                    {cells[index]}
                  </th>
                ) : (
                  <td key={head} class={align}>
                    {cells[index]}
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
