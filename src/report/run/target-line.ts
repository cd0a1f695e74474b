import type { Result } from '../../result/result.ts';
import { printable } from '../../base/printable.ts';

/** Which service a run loaded: every output says so. */
export function targetLine({ target }: Pick<Result, 'target'>): string {
  const { baseUrl, agentId, protocol, stream } = target;
  const spoken = protocol === 'chat-messaging' ? '' : `, ${protocol}${stream ? ' in pieces' : ''}`;
  return printable(`target    ${baseUrl ?? 'embedded reference service'}, agent ${agentId}${spoken}`);
}
