import { applyStep, type LiveEvents, type LiveState } from '../../report/page/live.ts';
import type { Page } from '../../report/page/page.ts';

/** State of a run as its viewer has received it. */
export interface Followed {
  /** Undefined before the first event. */
  page: Page | undefined;
  state: LiveState | undefined;
  /** Connection to the server; `over` after the end of the run. */
  connection: 'connecting' | 'open' | 'lost' | 'over';
  /** Report of a finished run, and the path of its result. */
  report: LiveEvents['ended'] | undefined;
  /** Reason for a missing report. */
  failure: string | undefined;
}

export const nothingReceived: Followed = {
  page: undefined,
  state: undefined,
  connection: 'connecting',
  report: undefined,
  failure: undefined,
};

/** A browser reconnects by itself after a lost connection, but not after an error status, as with too many viewers. */
const reconnectAfterMs = 3_000;

/** Updates the state with every event of the run; reconnects until the run is over. Each connection starts with everything so far. */
export function followRun(update: Update): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let source = connect();
  return stop;

  function stop(): void {
    clearTimeout(timer);
    source.close();
  }

  function connect(): EventSource {
    const opened = listen(update, stop);
    opened.addEventListener('error', () => {
      update((before) => ({ ...before, connection: 'lost' }));
      if (opened.readyState === EventSource.CLOSED) timer = setTimeout(() => (source = connect()), reconnectAfterMs);
    });
    return opened;
  }
}

type Update = (next: (before: Followed) => Followed) => void;

function listen(update: Update, stop: () => void): EventSource {
  const source = new EventSource('events');
  const on = <Name extends keyof LiveEvents>(
    name: Name,
    take: (data: LiveEvents[Name], before: Followed) => Followed,
  ): void =>
    source.addEventListener(name, (event: MessageEvent<string>) => {
      const data = JSON.parse(event.data) as LiveEvents[Name];
      update((before) => ({
        ...take(data, before),
        connection: name === 'ended' || name === 'failed' ? 'over' : 'open',
      }));
    });
  on('page', (data, before) => ({ ...before, ...data }));
  on('step', (step, before) => ({ ...before, page: before.page && applyStep(before.page, step), state: step.state }));
  on('ended', (report, before) => {
    stop();
    return { ...before, page: pageOf(report.report) ?? before.page, report };
  });
  on('failed', ({ reason }, before) => {
    stop();
    return { ...before, failure: reason };
  });
  source.addEventListener('open', () => update((before) => ({ ...before, connection: 'open' })));
  return source;
}

function pageOf(report: string): Page | undefined {
  const data = new DOMParser().parseFromString(report, 'text/html').getElementById('data');
  return data === null ? undefined : (JSON.parse(data.textContent) as Page);
}
