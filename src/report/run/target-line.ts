import type { Result } from '../../result/result.ts';
import { agentText } from '../words/agent-text.ts';
import { defaultProtocol } from '../../protocol/registry/registry.ts';
import { wayOf, wayText } from '../words/way-text.ts';
import { printable } from '../../base/printable.ts';

/** Which service a run loaded: every output says so. */
export function targetLine({ target, transport }: Pick<Result, 'target' | 'transport'>): string {
  const { baseUrl, agentId, protocol, stream } = target;
  const way = wayText(wayOf(transport));
  const spoken = [...(protocol === defaultProtocol ? [] : [protocol]), ...(stream ? ['in pieces'] : [])].join(' ');
  return printable(
    `target    ${baseUrl ?? 'embedded reference service'}${agentText(agentId)}${spoken && `, ${spoken}`}${way}`,
  );
}
