import type { Comparison } from '../../../compare/document/comparison.ts';
import { confirmationTexts } from '../../comparison/comparison-words.ts';
import type { Section } from '../page.ts';
import { proseBlock } from '../prose-block.ts';

/** What a second set of runs said of each alarm. */
export function confirmationSection(comparison: Comparison): Section {
  return {
    id: 'confirmation',
    title: 'Confirmation',
    lead: '',
    blocks: proseBlock(confirmationTexts(comparison)),
  };
}
