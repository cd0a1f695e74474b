import { useEffect, useState } from 'preact/hooks';
import { PageView } from '../page-view.tsx';
import { followRun, nothingSeen } from './follow-run.ts';
import { LiveBanner } from './live-banner.tsx';

/** A run under way, and when it has ended its report: the same page, which keeps what the reader has chosen. */
export function LiveView() {
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
