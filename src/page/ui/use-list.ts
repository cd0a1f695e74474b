import { useEffect, useState } from 'preact/hooks';
import type { ResultsList, RunUnderWay } from '../../report/page/list/list.ts';

export interface Served {
  /** Undefined before the first answer. */
  list: ResultsList | undefined;
  runs: readonly RunUnderWay[];
  /** Error text while the server does not answer; otherwise empty. */
  lost: string;
}

const everyMs = 3000;

/** Returns the list, updated every few seconds while the page is visible. */
export function useList(): Served {
  const [served, serve] = useState<Served>({ list: undefined, runs: [], lost: '' });
  useEffect(() => {
    let known = '';
    let timer: number | undefined;
    let isOver = false;
    const poll = async (): Promise<void> => {
      const next = await requestList(known);
      if (isOver) return;
      known = next.list?.version ?? known;
      serve((before) => ({ ...next, list: next.list ?? before.list }));
      timer = window.setTimeout(again, everyMs);
    };
    const again = (): void => {
      window.clearTimeout(timer);
      if (!document.hidden) void poll();
    };
    document.addEventListener('visibilitychange', again);
    void poll();
    return () => {
      isOver = true;
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', again);
    };
  }, []);
  return served;
}

async function requestList(known: string): Promise<Served> {
  try {
    const [results, runs] = await Promise.all([fetch(`results?known=${known}`), fetch('runs')]);
    if (!results.ok || !runs.ok) throw new Error(`the server answered ${String(results.status)}`);
    const list = results.status === 204 ? undefined : ((await results.json()) as ResultsList);
    return { list, runs: (await runs.json()) as RunUnderWay[], lost: '' };
  } catch {
    return {
      list: undefined,
      runs: [],
      lost: 'chat-load ui does not answer. Check that it is still running; retrying.',
    };
  }
}
