import { clean } from '../words/paragraph.ts';
import type { ProseBlock } from './page.ts';

/** Texts from anywhere as paragraphs; none without any. */
export function proseBlock(texts: readonly string[]): ProseBlock[] {
  const lines = texts.map(clean).filter((line) => line !== '');
  return lines.length === 0 ? [] : [{ type: 'prose', lines }];
}
