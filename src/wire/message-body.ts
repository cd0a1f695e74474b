/** What a message says; `variableValues` is JSON text, or '' for none. */
export interface MessageParts {
  agentId: string;
  sessionId: string;
  message: string;
  variableValues: string;
}

/** The JSON body of a message. */
export const messageBody = ({ agentId, sessionId, message, variableValues }: MessageParts): string =>
  `{"agentId":${JSON.stringify(agentId)},"sessionId":${JSON.stringify(sessionId)},"message":${JSON.stringify(message)}` +
  (variableValues === '' ? '}' : `,"variableValues":${variableValues}}`);

/**
 * Writes the bodies of one session's messages. What all of them share is written once, since this runs for every turn.
 * `variableValues` is JSON text, or '' for none.
 */
export function messageBodies(agentId: string, sessionId: string): (message: string, variableValues: string) => string {
  const start = `{"agentId":${JSON.stringify(agentId)},"sessionId":${JSON.stringify(sessionId)},"message":`;
  return (message, variableValues) =>
    variableValues === ''
      ? `${start}${JSON.stringify(message)}}`
      : `${start}${JSON.stringify(message)},"variableValues":${variableValues}}`;
}
