import type { Tone } from '../../report/page/page.ts';
import { markerPath, dashOf, toneStyle } from './shapes.ts';

export interface LegendEntry {
  label: string;
  tone: Tone;
  isHidden: boolean;
  /** The value where the cursor is; empty: no cursor. */
  value: string;
  /** How it is drawn: without it, as a line. */
  look?: { hasLine: boolean; hasMarkers: boolean };
}

/** The series of a chart, each a switch that hides it. */
export function Legend({ entries, toggle }: { entries: readonly LegendEntry[]; toggle: (index: number) => void }) {
  return (
    <ul class="legend">
      {entries.map(({ label, tone, isHidden, value, look }, index) => (
        <li key={label}>
          <button type="button" aria-pressed={!isHidden} onClick={() => toggle(index)}>
            <Swatch tone={tone} index={index} look={look} />
            {label}
            <span class="value">{value}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

interface SwatchProps {
  tone: Tone;
  index: number;
  look: LegendEntry['look'];
}

function Swatch({ tone, index, look = { hasLine: true, hasMarkers: false } }: SwatchProps) {
  return (
    <svg class="tone" style={toneStyle(tone)} width="22" height="10" aria-hidden="true">
      {look.hasLine ? (
        <line x1="1" y1="5" x2="21" y2="5" stroke-width="3" stroke-dasharray={dashOf(index).join(' ')} />
      ) : null}
      {look.hasMarkers ? <path fill="currentColor" stroke="none" d={markerPath(index, { x: 11, y: 5 }, 4)} /> : null}
    </svg>
  );
}

/** A set of names with one more, or with one less where it was in it. */
export function toggled(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const changed = new Set(names);
  if (!changed.delete(name)) changed.add(name);
  return changed;
}
