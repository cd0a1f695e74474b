import { useEffect, useState } from 'preact/hooks';
import type { ResultsList, RunUnderWay } from '../../report/page/list/list.ts';

/** What the server has said. */
export interface Served {
  /** `undefined`: nothing yet. */
  list: ResultsList | undefined;
  runs: readonly RunUnderWay[];
  /** Why it says nothing; empty: it does. */
  lost: string;
}

const everyMs = 3000;

/** The list, brought up to date every few seconds while anybody looks at it. */
export function useList(): Served {
  const [served, serve] = useState<Served>({ list: undefined, runs: [], lost: '' });
  useEffect(() => {
    let known = '';
    let timer: number | undefined;
    let isOver = false;
    const look = async (): Promise<void> => {
      const next = await ask(known);
      if (isOver) return;
      known = next.list?.version ?? known;
      serve((before) => ({ ...next, list: next.list ?? before.list }));
      timer = window.setTimeout(again, everyMs);
    };
    const again = (): void => {
      window.clearTimeout(timer);
      if (!document.hidden) void look();
    };
    document.addEventListener('visibilitychange', again);
    void look();
    return () => {
      isOver = true;
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', again);
    };
  }, []);
  return served;
}

async function ask(known: string): Promise<Served> {
  try {
    const [results, runs] = await Promise.all([fetch(`results?known=${known}`), fetch('runs')]);
    if (!results.ok || !runs.ok) throw new Error(`it answered ${String(results.status)}`);
    const list = results.status === 204 ? undefined : ((await results.json()) as ResultsList);
    return { list, runs: (await runs.json()) as RunUnderWay[], lost: '' };
  } catch {
    return { list: undefined, runs: [], lost: 'chat-load ui does not answer: is it still running? Trying again.' };
  }
}
