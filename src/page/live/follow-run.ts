import { applyStep, type LiveEvents, type LiveState } from '../../report/page/live.ts';
import type { Page } from '../../report/page/page.ts';

/** What a viewer of a run has seen of it. */
export interface Seen {
  /** `undefined`: nothing yet. */
  page: Page | undefined;
  state: LiveState | undefined;
  /** Of the server; `over`: the run has ended, and nothing more will come. */
  connection: 'connecting' | 'open' | 'lost' | 'over';
  /** The report of a run that has ended, and where its result is. */
  report: LiveEvents['ended'] | undefined;
  /** Why there is none. */
  failure: string | undefined;
}

export const nothingSeen: Seen = {
  page: undefined,
  state: undefined,
  connection: 'connecting',
  report: undefined,
  failure: undefined,
};

/** A browser connects again by itself after a lost line, but not after a refusal, as of too many viewers or by a proxy. */
const againAfterMs = 3_000;

/** Calls `see` with every event of the run, and connects again until the run is over: everything is sent then. */
export function followRun(see: (next: (seen: Seen) => Seen) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let source = connect();
  return stop;

  function stop(): void {
    clearTimeout(timer);
    source.close();
  }

  function connect(): EventSource {
    const opened = listen(see, stop);
    opened.addEventListener('error', () => {
      see((seen) => ({ ...seen, connection: 'lost' }));
      if (opened.readyState === EventSource.CLOSED) timer = setTimeout(() => (source = connect()), againAfterMs);
    });
    return opened;
  }
}

function listen(see: (next: (seen: Seen) => Seen) => void, stop: () => void): EventSource {
  const source = new EventSource('events');
  const on = <Name extends keyof LiveEvents>(name: Name, take: (data: LiveEvents[Name], seen: Seen) => Seen): void =>
    source.addEventListener(name, (event: MessageEvent<string>) => {
      const data = JSON.parse(event.data) as LiveEvents[Name];
      see((seen) => ({ ...take(data, seen), connection: name === 'ended' || name === 'failed' ? 'over' : 'open' }));
    });
  on('page', (data, seen) => ({ ...seen, ...data }));
  on('step', (step, seen) => ({ ...seen, page: seen.page && applyStep(seen.page, step), state: step.state }));
  on('ended', (report, seen) => {
    stop();
    return { ...seen, page: pageOf(report.report) ?? seen.page, report };
  });
  on('failed', ({ reason }, seen) => {
    stop();
    return { ...seen, failure: reason };
  });
  source.addEventListener('open', () => see((seen) => ({ ...seen, connection: 'open' })));
  return source;
}

/** The page in a report, which holds it as data. */
function pageOf(report: string): Page | undefined {
  const data = new DOMParser().parseFromString(report, 'text/html').getElementById('data');
  return data === null ? undefined : (JSON.parse(data.textContent) as Page);
}
