import type { Tone } from '../../report/page/page.ts';
import { dashOf } from './palette.ts';

export interface LegendEntry {
  label: string;
  tone: Tone;
  isHidden: boolean;
  /** The value where the cursor is; empty: no cursor. */
  value: string;
}

/** The series of a chart, each a switch that hides it. */
export function Legend({ entries, toggle }: { entries: readonly LegendEntry[]; toggle: (index: number) => void }) {
  return (
    <ul class="legend">
      {entries.map(({ label, tone, isHidden, value }, index) => (
        <li key={label}>
          <button type="button" aria-pressed={!isHidden} onClick={() => toggle(index)}>
            <Swatch tone={tone} index={index} />
            {label}
            <span class="value">{value}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Swatch({ tone, index }: { tone: Tone; index: number }) {
  return (
    <svg class={`swatch tone-${tone}`} width="22" height="10" aria-hidden="true">
      <line x1="1" y1="5" x2="21" y2="5" stroke-width="3" stroke-dasharray={dashOf(index).join(' ')} />
    </svg>
  );
}
