import type { RunUnderWay } from '../../report/page/list/list.ts';

/** Runs that write into the folders just now, and those that have stopped without a result. */
export function RunsUnderWay({ runs }: { runs: readonly RunUnderWay[] }) {
  if (runs.length === 0) return null;
  return (
    <section class="under-way" aria-labelledby="under-way-title">
      <h2 id="under-way-title">Under way</h2>
      <ul>
        {runs.map((run) => (
          <li key={`${run.folder} ${run.file}`} data-silent={run.isSilent}>
            <p>
              <span class="sign" aria-hidden="true">
                {run.isSilent ? '⚠' : '▶'}
              </span>
              <strong>{run.scenario}</strong>
              {run.label === '' ? '' : ` (${run.label})`}, since {run.startedAt.slice(0, 19).replace('T', ' ')} UTC:{' '}
              {run.state}
            </p>
            {run.address === null ? null : (
              <a class="button" href={run.address}>
                Watch
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
