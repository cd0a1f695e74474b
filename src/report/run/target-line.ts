import type { Result } from '../../result/result.ts';
import { printable } from '../../base/printable.ts';

/** Which service a run loaded: every output says so. */
export function targetLine({ target: { baseUrl, agentId } }: Pick<Result, 'target'>): string {
  return printable(`target    ${baseUrl ?? 'embedded reference service'}, agent ${agentId}`);
}
