import { useEffect } from 'preact/hooks';
import type { Tone } from '../../report/page/page.ts';

/** A colour of the theme in force, as the style sheet has it. */
export function colorOf(name: Tone | 'text' | 'faint' | 'grid' | 'surface' | 'shade'): string {
  return getComputedStyle(document.documentElement)
    .getPropertyValue(`--${name.replaceAll('_', '-')}`)
    .trim();
}

/** Strokes by the place of a series: colour alone does not tell two of them apart. */
const dashes = [[], [6, 4], [2, 3], [10, 3, 2, 3], [12, 4]] as const;
export function dashOf(index: number): number[] {
  return [...(dashes[index % dashes.length] ?? [])];
}

/** Calls `changed` when the colours do: another theme, forced colours, and printing. */
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
