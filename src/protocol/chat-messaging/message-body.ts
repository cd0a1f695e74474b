/** What a message says; `variableValues` is JSON text, or '' for none. */
interface MessageParts {
  agentId: string;
  sessionId: string;
  message: string;
  variableValues: string;
}

/** The JSON body of a message. */
export function messageBody({ agentId, sessionId, message, variableValues }: MessageParts): string {
  return (
    `{"agentId":${JSON.stringify(agentId)},"sessionId":${JSON.stringify(sessionId)},"message":${JSON.stringify(message)}` +
    (variableValues === '' ? '}' : `,"variableValues":${variableValues}}`)
  );
}
