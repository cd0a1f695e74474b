import { useEffect, useState } from 'preact/hooks';
import { render } from 'preact';
import { PageView } from '../page-view.tsx';
import { followRun, nothingSeen, type Seen } from './follow-run.ts';
import { saveFile } from '../chart/save.ts';

/** A run under way, and when it has ended its report: the same page, which keeps what the reader has chosen. */
function LiveView() {
  const [seen, see] = useState(nothingSeen);
  useEffect(() => followRun(see), []);
  const { page } = seen;
  useEffect(() => {
    if (page !== undefined) document.title = `${page.title}: ${page.verdict.sentence}`;
  }, [page]);
  return (
    <>
      <LiveBanner seen={seen} />
      {page === undefined ? <p class="prose">The run has not started yet.</p> : <PageView page={page} />}
    </>
  );
}

/** How far the run is, whether the line holds, and what stops it. */
function LiveBanner({ seen: { state, connection, report, failure } }: { seen: Seen }) {
  const [said, say] = useState('');
  const press = async (button: 'drain' | 'cut'): Promise<void> => {
    if (button === 'cut' && !window.confirm('Cut everything under way? What is cut is in no latency figure.')) return;
    const sent = await fetch(button, { method: 'POST' }).then(
      ({ ok }) => ok,
      () => false,
    );
    say(sent ? '' : 'The run could not be reached: nothing was stopped.');
  };
  const canStop = connection === 'open' && state !== undefined;
  return (
    <div class="live" role="region" aria-label="The run" data-connection={connection}>
      <p class="state" role="status">
        {phaseText(state?.phase, connection)} <span class="hint">{failure}</span>
      </p>
      {state === undefined || connection === 'over' ? null : <p class="done">{state.done}</p>}
      {report === undefined ? null : (
        <p>
          The result is at {report.path}.{' '}
          <button type="button" onClick={() => saveFile(nameOf(report.path), htmlOf(report.report))}>
            Save this report
          </button>
        </p>
      )}
      {connection === 'over' ? null : (
        <p class="stops">
          <button
            type="button"
            disabled={!canStop || state.phase !== 'running'}
            title="No new session starts; those under way may finish"
            onClick={() => void press('drain')}
          >
            Drain
          </button>{' '}
          <button
            type="button"
            disabled={!canStop || state.phase === 'cut'}
            title="Everything under way is cut; the result is still written"
            onClick={() => void press('cut')}
          >
            Cut
          </button>{' '}
          <span role="alert">{said}</span>
        </p>
      )}
    </div>
  );
}

const phases = {
  running: 'Running.',
  draining: 'Draining: no new session starts, those under way may finish.',
  cut: 'Cut: the run is ending.',
} as const;

function phaseText(phase: keyof typeof phases | undefined, connection: Seen['connection']): string {
  if (connection === 'over') return 'The run has ended; this page is no longer connected.';
  if (connection === 'lost') return 'Connection lost, trying again.';
  return phase === undefined ? 'Connecting.' : phases[phase];
}

const htmlOf = (report: string): Blob => new Blob([report], { type: 'text/html' });

/** `results/peak-1.json` is saved as `peak-1.html`. */
const nameOf = (path: string): string => `${(path.split(/[\\/]/).at(-1) ?? 'report').replace(/\.json$/, '')}.html`;

const root = document.getElementById('page');
if (root !== null) render(<LiveView />, root);
