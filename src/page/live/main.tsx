import { useEffect, useRef, useState } from 'preact/hooks';
import { render } from 'preact';
import type { LiveState } from '../../report/page/live.ts';
import { PageView } from '../page-view.tsx';
import { followRun, nothingReceived, type Followed } from './follow-run.ts';
import { saveFile } from '../chart/save.ts';

/** A run in progress; after its end the same page shows the report and keeps the reader's choices. */
function LiveView() {
  const [followed, update] = useState(nothingReceived);
  useEffect(() => followRun(update), []);
  const { page } = followed;
  useEffect(() => {
    if (page !== undefined) document.title = `${page.title}: ${page.verdict.sentence}`;
  }, [page]);
  return (
    <>
      <LiveBanner followed={followed} />
      {page === undefined ? <p class="prose">The run has not started yet.</p> : <PageView page={page} />}
    </>
  );
}

function LiveBanner({ followed: { state, connection, report, failure } }: { followed: Followed }) {
  return (
    <div class="live" role="region" aria-label="The run" data-connection={connection}>
      <p class="state" role="status">
        {phaseText(state?.phase, connection)} <span class="hint">{failure}</span>
      </p>
      {state === undefined || connection === 'over' ? null : <Progress state={state} />}
      {report === undefined ? null : (
        <p>
          Result: {report.path}.{' '}
          <button type="button" onClick={() => saveFile(nameOf(report.path), htmlOf(report.report))}>
            Save this report
          </button>
        </p>
      )}
      {connection === 'over' ? null : <Controls state={state} isOpen={connection === 'open'} />}
    </div>
  );
}

function Progress({ state: { done, doneShare } }: { state: LiveState }) {
  return (
    <p class="done">
      {doneShare === null ? null : <progress aria-label="Progress of the run" max={1} value={doneShare} />}
      <span>{done}</span>
    </p>
  );
}

/** Drain lets sessions finish. Cut ends everything at once and cannot be undone, so it is set apart and asks first. */
function Controls({ state, isOpen }: { state: LiveState | undefined; isOpen: boolean }) {
  const [error, setError] = useState('');
  const [isAsking, ask] = useState(false);
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), [isAsking]);
  const send = async (command: 'drain' | 'cut'): Promise<void> => {
    ask(false);
    const isSent = await fetch(command, { method: 'POST' }).then(
      ({ ok }) => ok,
      () => false,
    );
    setError(isSent ? '' : 'Cannot reach the run: nothing was stopped.');
  };
  const canStop = isOpen && state !== undefined;
  const canCut = canStop && state.phase !== 'cut';
  return (
    <div class="stops">
      <button
        type="button"
        disabled={!canStop || state.phase !== 'running'}
        title="Start no new sessions; sessions in progress may finish"
        onClick={() => void send('drain')}
      >
        Drain
      </button>
      {isAsking && canCut ? (
        <span class="confirm" role="group" aria-label="Confirm the cut">
          End all sessions now? Turns in flight are cut and appear in no latency figure.
          <button type="button" class="danger" onClick={() => void send('cut')}>
            Cut now
          </button>
          <button type="button" ref={keep} onClick={() => ask(false)}>
            Keep running
          </button>
        </span>
      ) : (
        <button
          type="button"
          class="cut"
          disabled={!canCut}
          title="End all sessions at once; the result is still written"
          onClick={() => ask(true)}
        >
          Cut…
        </button>
      )}
      <span role="alert">{error}</span>
    </div>
  );
}

const phases = {
  running: 'Running.',
  draining: 'Draining: no new sessions start; sessions in progress may finish.',
  cut: 'Cut: the run is ending.',
} as const;

function phaseText(phase: keyof typeof phases | undefined, connection: Followed['connection']): string {
  if (connection === 'over') return 'The run has ended; this page is no longer connected.';
  if (connection === 'lost') return 'Connection lost, reconnecting.';
  return phase === undefined ? 'Connecting.' : phases[phase];
}

const htmlOf = (report: string): Blob => new Blob([report], { type: 'text/html' });

/** Returns `peak-1.html` for `results/peak-1.json`. */
const nameOf = (path: string): string => `${(path.split(/[\\/]/).at(-1) ?? 'report').replace(/\.json$/, '')}.html`;

const root = document.getElementById('page');
if (root !== null) render(<LiveView />, root);
