import type { ProtocolName } from '../../../src/protocol/registry/registry.ts';

/** The text of an ordinary end in the data of a protocol, and other ends in its place. */
export const otherEnds: Readonly<Record<ProtocolName, { from: string; to: readonly string[] }>> = {
  'chat-messaging': { from: '"success": true', to: ['"success": false', '"success": 1'] },
  'openai-chat': { from: '"stop"', to: ['"length"', '"content_filter"', '"error"', '""', 'null'] },
  'azure-openai': { from: '"stop"', to: ['"length"', '"content_filter"', '"error"', '""', 'null'] },
  'openai-responses': { from: '"completed"', to: ['"incomplete"', '"failed"', '"cancelled"', 'null'] },
  'openai-responses-websocket': { from: '"completed"', to: ['"incomplete"', '"failed"', '"cancelled"', 'null'] },
  'openai-realtime': { from: '"completed"', to: ['"incomplete"', '"failed"', '"cancelled"', 'null'] },
  'anthropic-messages': { from: '"end_turn"', to: ['"max_tokens"', '"refusal"', '"pause_turn"', 'null'] },
  'ai-sdk': { from: '"stop"', to: ['"length"', '"content-filter"', '"error"', '"other"'] },
  langgraph: { from: '"ai"', to: ['"AIMessageChunk"', '"human"', '"tool"'] },
  a2a: {
    from: '"TASK_STATE_COMPLETED"',
    to: ['"TASK_STATE_INPUT_REQUIRED"', '"TASK_STATE_FAILED"', '"TASK_STATE_WORKING"', '"constructor"'],
  },
  'bedrock-converse': { from: '"end_turn"', to: ['"max_tokens"', '"guardrail_intervened"', '"tool_use"', 'null'] },
  gemini: { from: '"STOP"', to: ['"MAX_TOKENS"', '"SAFETY"', '"MALFORMED_FUNCTION_CALL"', 'null'] },
};
