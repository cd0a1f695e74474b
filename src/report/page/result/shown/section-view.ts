import type { Block, Section } from '../../page.ts';
import type { ShownRun } from './shown-run.ts';

/** A section of the page of results: left out where it has no blocks. */
export interface SectionView extends Omit<Section, 'blocks'> {
  view: (runs: readonly ShownRun[]) => readonly Block[];
}
