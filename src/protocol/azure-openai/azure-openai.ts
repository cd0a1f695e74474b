import { EventStream } from '../model-api/event-stream.ts';
import { openaiChat, openCompletions } from '../openai-chat/openai-chat.ts';
import { ChunkReader } from '../openai-chat/read-completion.ts';
import type { ChatProtocol, ProtocolTarget, Route } from '../protocol.ts';

const paths = { message: '/openai/v1/chat/completions' } as const;

/**
 * Chat completions of Azure OpenAI: the model is the name of the deployment, and the key is sent as `api-key`. The path of a
 * deployment, with its `api-version`, is set by `target.messagesPath`, in which `{model}` stands for the deployment.
 * Source: https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
 */
export const azureOpenai: ChatProtocol = {
  ...openaiChat,
  name: 'azure-openai',
  paths,
  authorize: (apiKey) => ({ 'api-key': apiKey }),
  open: (target) => openCompletions(target, routeOf(target)),
};

function routeOf(target: ProtocolTarget): Route {
  const { agentId, stream, messagesPath } = target;
  return {
    operation: 'message',
    method: 'POST',
    path: messagesPath?.replaceAll('{model}', encodeURIComponent(agentId)) ?? pathBelow(target.baseUrl),
    headers: { 'Content-Type': 'application/json', Accept: stream ? 'text/event-stream' : 'application/json' },
    stream: stream ? { framing: 'sse', begin: () => new EventStream(new ChunkReader()) } : undefined,
  };
}

/** Returns the path of messages below a base URL: its own end is not repeated. */
function pathBelow(baseUrl: string | null): string {
  const prefix = baseUrl === null ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');
  const repeated = ['/openai/v1', '/openai'].find((end) => prefix.endsWith(end)) ?? '';
  return paths.message.slice(repeated.length);
}
