import { messageRoute } from '../model-api/message-route.ts';
import { beginChunks, openaiChat, openCompletions } from '../openai-chat/openai-chat.ts';
import type { ChatProtocol } from '../protocol.ts';

const paths = {
  message: '/openai/v1/chat/completions',
  dated: '/openai/deployments/{model}/chat/completions?api-version=',
  isShared: true,
} as const;

/**
 * Chat completions of Azure OpenAI: the model is the name of the deployment, and the key is sent as `api-key`. The dated
 * path, which names the deployment, is recognized in a URL or set by `target.messagesPath`.
 * Source: https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle
 */
export const azureOpenai: ChatProtocol = {
  ...openaiChat,
  name: 'azure-openai',
  paths,
  base: { host: /\.(?:openai|services\.ai|cognitiveservices)\.azure\.com$/, path: /^(?:\/openai(?:\/.*)?)?$/ },
  authorize: (apiKey) => ({ 'api-key': apiKey }),
  open: (target) => openCompletions(target, messageRoute(target, { ...route, begin: beginChunks(target) })),
};

const route = { path: paths.message, starts: ['/openai/v1', '/openai'] };
