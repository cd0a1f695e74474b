import { comparisonAddress, reportAddress, type Ticks } from '../../report/page/list/list-address.ts';

interface CompareBarProps {
  ticks: Ticks;
  /** How many of the ticked are not in sight. */
  hidden: number;
  clear: () => void;
}

/** What is ticked, and what can be done with it. */
export function CompareBar({ ticks: { base, head }, hidden, clear }: CompareBarProps) {
  const address = comparisonAddress({ base, head });
  const ticked = [...base, ...head];
  return (
    <div class="compare" role="region" aria-label="Compare">
      <p role="status">
        Base {base.length}, head {head.length}
        {hidden === 0 ? '' : ` (${String(hidden)} hidden by the filter)`}
        {ticked.length === 0 ? ': tick results of both sides to compare them.' : ''}
      </p>
      <p class="actions">
        <Action text="Compare" address={address} />
        <Action text="Show together" address={ticked.length < 2 ? undefined : reportAddress(ticked)} />
        <button type="button" disabled={ticked.length === 0} onClick={clear}>
          Clear
        </button>
      </p>
    </div>
  );
}

/** A link; without an address, a button that cannot be pressed. */
function Action({ text, address }: { text: string; address: string | undefined }) {
  if (address !== undefined)
    return (
      <a class="button" href={address}>
        {text}
      </a>
    );
  return (
    <button type="button" disabled>
      {text}
    </button>
  );
}
