/** The JSON body that creates a session: the scenario's, with `{{agentId}}` filled in everywhere. */
export function createBody(template: unknown, agentId: string): string {
  return JSON.stringify(template, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll('{{agentId}}', () => agentId) : value,
  );
}
