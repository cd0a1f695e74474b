/** Returns the agent or the model as the next part of a sentence, and '' if the target has none. */
export function agentText(agentId: string, kind: 'agent' | 'model' = 'agent'): string {
  return agentId === '' ? '' : `, ${kind} ${agentId}`;
}
