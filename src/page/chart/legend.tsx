import type { Tone } from '../../report/page/page.ts';
import { markerPath, dashOf, toneStyle } from './shapes.ts';

export interface LegendEntry {
  label: string;
  tone: Tone;
  isHidden: boolean;
  /** Value at the cursor; empty if there is none. */
  value: string;
  /** Look of the series; a line by default. */
  look?: { hasLine: boolean; hasMarkers: boolean; isFilled?: boolean };
}

/** Series of a chart as switches that show or hide them. */
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
      {look.isFilled === true ? <rect width="22" height="10" rx="2" fill="currentColor" stroke="none" /> : null}
      {look.hasLine ? (
        <line x1="1" y1="5" x2="21" y2="5" stroke-width="3" stroke-dasharray={dashOf(index).join(' ')} />
      ) : null}
      {look.hasMarkers ? <path fill="currentColor" stroke="none" d={markerPath(index, { x: 11, y: 5 }, 4)} /> : null}
    </svg>
  );
}

/** Meaning of the colours of a chart whose parts are always shown. */
export function Key({ entries }: { entries: readonly { label: string; tone: Tone }[] }) {
  return (
    <ul class="legend">
      {entries.map(({ label, tone }, index) => (
        <li key={label}>
          <Swatch tone={tone} index={index} look={{ hasLine: false, hasMarkers: false, isFilled: true }} /> {label}
        </li>
      ))}
    </ul>
  );
}

/** Adds a name to a set, or removes it if the set contains it. */
export function toggled(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const changed = new Set(names);
  if (!changed.delete(name)) changed.add(name);
  return changed;
}
