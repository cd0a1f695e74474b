import { useEffect } from 'preact/hooks';
import type { Tone } from '../../report/page/page.ts';

/** A point and the ends of its interval, in pixels. */
export interface Dot {
  x: number;
  y: number;
  low: number | null;
  high: number | null;
}

const spot = (x: number, y: number): string => `${x.toFixed(1)},${y.toFixed(1)}`;

export function linePath(dots: readonly Dot[]): string {
  return dots.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${spot(x, y)}`).join('');
}

/** Returns a path on which a value holds until the next one, and the last until `endPx`. */
export function stepPath(dots: readonly Dot[], endPx: number): string {
  const steps = dots.map(({ x, y }, index) => (index === 0 ? `M${spot(x, y)}` : `H${x.toFixed(1)}V${y.toFixed(1)}`));
  return dots.length === 0 ? '' : `${steps.join('')}H${endPx.toFixed(1)}`;
}

/** Returns the area between the ends of intervals, interrupted by points without one. */
export function bandPath(dots: readonly Dot[]): string {
  const parts: { x: number; low: number; high: number }[][] = [[]];
  for (const { x, low, high } of dots)
    if (low === null || high === null) parts.push([]);
    else parts.at(-1)?.push({ x, low, high });
  return parts
    .filter((part) => part.length > 1)
    .map((part) => {
      const back = part.toReversed().map(({ x, low }) => `L${spot(x, low)}`);
      return `M${part.map(({ x, high }) => spot(x, high)).join('L')}${back.join('')}Z`;
    })
    .join('');
}

/** Returns a vertical line with end bars for each interval. */
export function whiskerPath(dots: readonly Dot[], barPx = 3): string {
  return dots
    .map(({ x, low, high }) => {
      if (low === null || high === null) return '';
      const bar = (y: number): string => `M${spot(x - barPx, y)}h${String(2 * barPx)}`;
      return `M${spot(x, low)}L${spot(x, high)}${bar(low)}${bar(high)}`;
    })
    .join('');
}

/**
 * Returns the marker of a series, which distinguishes it without colour: circle, square, triangle, diamond, inverted
 * triangle. There are as many dash patterns; the next cycle combines them differently.
 */
export function markerPath(index: number, { x, y }: { x: number; y: number }, r: number): string {
  const sign = (index + Math.floor(index / markers.length)) % markers.length;
  return (markers[sign] ?? circle)(x, y, r);
}

type Marker = (x: number, y: number, r: number) => string;
const circle: Marker = (x, y, r) =>
  `M${spot(x - r, y)}a${String(r)},${String(r)} 0 1,0 ${String(2 * r)},0a${String(r)},${String(r)} 0 1,0 ${String(-2 * r)},0Z`;
const polygon =
  (...corners: readonly (readonly [number, number])[]): Marker =>
  (x, y, r) =>
    `M${corners.map(([right, down]) => spot(x + right * r, y + down * r)).join('L')}Z`;
const markers: readonly Marker[] = [
  circle,
  polygon([-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]),
  polygon([0, -1.2], [1.1, 0.9], [-1.1, 0.9]),
  polygon([0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]),
  polygon([0, 1.2], [1.1, -0.9], [-1.1, -0.9]),
];

export function arrowPath(
  { x, y }: { x: number; y: number },
  towards: 'left' | 'right' | 'up' | 'down',
  r = 5,
): string {
  const [dx, dy] = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }[towards] as [number, number];
  const side = (sign: number): string => spot(x - dx * r + sign * dy * r, y - dy * r + sign * dx * r);
  return `M${spot(x, y)}L${side(1)}L${side(-1)}Z`;
}

/** Returns a colour of the current theme from the style sheet. */
export function colorOf(name: Tone | 'text' | 'faint' | 'grid' | 'surface' | 'shade' | 'limit'): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Returns the style that colours an element of the class `tone`. */
export function toneStyle(tone: Tone): { '--tone': string } {
  return { '--tone': `var(--${tone})` };
}

/** Dash patterns by index of the series, because colour alone does not distinguish them. */
const dashes = [[], [6, 4], [2, 3], [10, 3, 2, 3], [12, 4]] as const;
export function dashOf(index: number): number[] {
  return [...(dashes[index % dashes.length] ?? [])];
}

/** Calls `changed` when the colours change: with the theme, forced colours and printing. */
export function useTheme(changed: () => void): void {
  useEffect(() => {
    const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)', 'print'].map((query) =>
      window.matchMedia(query),
    );
    for (const query of queries) query.addEventListener('change', changed);
    return () => {
      for (const query of queries) query.removeEventListener('change', changed);
    };
  }, [changed]);
}
