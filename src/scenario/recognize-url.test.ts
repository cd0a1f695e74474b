import { describe, expect, test } from 'vitest';
import { urlOf } from '../edge/http/request/request-head.ts';
import type { ChatProtocol } from '../protocol/protocol.ts';
import { protocols, protocolNames } from '../protocol/registry/registry.ts';
import { recognizeBase, recognizeUrl } from './recognize-url.ts';

const base = { agentId: 'm', stream: false, messageBody: {}, conversation: 'previous_response' } as const;
const createSession = { path: '/api/developer/chat/sessions', body: {}, sessionIdFrom: 'id' };

/** The URLs that a protocol's own requests go to below a base URL. */
function requested(url: string): string[] {
  const recognized = recognizeUrl(url);
  if (recognized === undefined) return [];
  const { protocol, baseUrl, agentId = base.agentId, messagesPath = null } = recognized;
  const conversation = protocol === 'openai-responses' ? 'conversation' : base.conversation;
  const target = { ...base, auth: 'key', agentId, conversation, baseUrl, messagesPath, createSession } as const;
  const routes = [false, true].flatMap((stream) => {
    const api = protocols[protocol].protocol.open({ ...target, stream });
    const message = api.converse('s').request({ message: 'Hi', variableValues: '' });
    return [message.route, ...(api.creation === undefined ? [] : [api.creation.request.route])];
  });
  return routes.map((route) => urlOf(new URL(baseUrl), route).href);
}

describe('a URL that ends in the path of a protocol', () => {
  test.each([
    ['http://localhost:8000/v1/chat/completions', 'openai-chat', 'http://localhost:8000/v1'],
    ['http://localhost:8000/v1/chat/completions/', 'openai-chat', 'http://localhost:8000/v1'],
    ['http://localhost:8000/chat/completions', 'openai-chat', 'http://localhost:8000'],
    ['https://a.example/api/v1/chat/completions', 'openai-chat', 'https://a.example/api/v1'],
    ['https://a.example/v1/responses', 'openai-responses', 'https://a.example/v1'],
    ['https://a.example/openai/responses//', 'openai-responses', 'https://a.example/openai'],
    ['https://a.example/v1/conversations', 'openai-responses', 'https://a.example/v1'],
    ['https://a.example/v1/messages', 'anthropic-messages', 'https://a.example/v1'],
    ['https://a.example/api/chat', 'ai-sdk', 'https://a.example'],
    ['https://a.example/openai/v1/chat/completions', 'openai-chat', 'https://a.example/openai/v1'],
    ['https://a.openai.azure.com/openai/v1/chat/completions', 'azure-openai', 'https://a.openai.azure.com'],
    ['https://a.services.ai.azure.com/openai/v1/chat/completions', 'azure-openai', 'https://a.services.ai.azure.com'],
    ['https://azure.com.example/openai/v1/chat/completions', 'openai-chat', 'https://azure.com.example/openai/v1'],
    ['https://a.example/v1beta/models/gemini-x:generateContent', 'gemini', 'https://a.example/v1beta'],
    ['https://a.example/v1beta/models/gemini-x:streamGenerateContent?alt=sse', 'gemini', 'https://a.example/v1beta'],
    ['https://a.example/v1beta/models/gemini-x:streamGenerateContent', 'gemini', 'https://a.example/v1beta'],
    ['https://a.example/model/a.model-v1%3A0/converse-stream', 'bedrock-converse', 'https://a.example'],
    ['https://a.example/api/developer/chat/messages', 'chat-messaging', 'https://a.example'],
    ['https://a.example/x/api/developer/chat/sessions', 'chat-messaging', 'https://a.example/x'],
  ])('%s is %s below %s', (url, protocol, baseUrl) => {
    expect(recognizeUrl(url)).toMatchObject({ protocol, baseUrl });
  });

  test.each<[Parameters<typeof recognizeUrl>[1], string]>([
    [{ named: 'azure-openai' }, 'azure-openai'],
    [{ named: 'openai-chat' }, 'openai-chat'],
    [{ headers: ['Content-Type', 'API-Key'] }, 'azure-openai'],
    [{ headers: ['Authorization'] }, 'openai-chat'],
  ])('that several protocols have is decided by %j: %s', (besides, protocol) => {
    expect(recognizeUrl('http://a.example/openai/v1/chat/completions', besides)?.protocol).toBe(protocol);
  });

  test('names the model of its path, and keeps a dated path', () => {
    const url = 'https://a.example/openai/deployments/gpt%20x/chat/completions?api-version=2024-10-21';
    expect(recognizeUrl(url)).toEqual({
      protocol: 'azure-openai',
      baseUrl: 'https://a.example',
      path: '/openai/deployments/gpt%20x/chat/completions',
      agentId: 'gpt x',
      messagesPath: '/openai/deployments/{model}/chat/completions?api-version=2024-10-21',
    });
    expect(recognizeUrl('https://a.example/model/a.model-v1%3A0/converse')?.agentId).toBe('a.model-v1:0');
  });

  test("is the destination of the protocol's requests, with and without a version", () => {
    const paths = protocolNames.flatMap((name) => {
      const { paths: own } = protocols[name].protocol;
      if (own === undefined) return [];
      const {
        message,
        streamed = message,
        create = message,
        mayLackVersion,
        dated,
      }: NonNullable<ChatProtocol['paths']> = own;
      const others = [mayLackVersion === true ? message.replace('/v1', '') : message, `${dated ?? ''}2024-10-21`];
      return [message, streamed, create, ...(dated === undefined ? others.slice(0, 1) : others)];
    });
    const urls = ['http://a.example', 'http://a.example/x', 'http://a.example/v1'].flatMap((origin) =>
      [...new Set(paths)].map((path) => origin + path.replace('{model}', 'a-model')),
    );
    expect(urls.filter((url) => !requested(url).includes(url))).toEqual([]);
    expect(urls).toHaveLength(45);
  });

  test.each([
    'http://localhost:8000',
    'http://localhost:8000/v1',
    'http://localhost:8000/v1/models',
    'https://a.example/messages',
    'https://a.example/v1/chat/completions?api-version=1',
    'https://a.example/v1/chat/completions#x',
    'https://a.example/mychat/completions',
    'no URL/v1/messages',
  ])('%s is none', (url) => expect(recognizeUrl(url)).toBeUndefined());
});

describe('a base URL', () => {
  test.each<[string, string | undefined, string | undefined]>([
    ['https://generativelanguage.googleapis.com', 'gemini-2.5-pro', 'gemini'],
    ['https://generativelanguage.googleapis.com/v1beta/', undefined, 'gemini'],
    ['https://gateway.example/google/v1beta', 'gemini-2.5-flash', 'gemini'],
    ['https://gateway.example/v1alpha', 'models/gemini-x', 'gemini'],
    ['https://eu-aiplatform.googleapis.com/v1/projects/p/locations/eu/publishers/google', 'gemini-x', 'gemini'],
    ['https://gateway.example/v1beta', 'gpt-x', undefined],
    ['https://generativelanguage.googleapis.com/v1beta/openai/', 'gemini-2.5-pro', 'openai-chat'],
    ['https://gateway.example/v1beta/openai', 'gemini-2.5-pro', 'openai-chat'],
    ['https://api.anthropic.com/v1', 'claude-x', 'anthropic-messages'],
    ['https://api.anthropic.com', undefined, 'anthropic-messages'],
    ['https://bedrock-runtime.eu-west-1.amazonaws.com', 'anthropic.claude-x', 'bedrock-converse'],
    ['https://my-resource.openai.azure.com/openai/v1', 'gpt-x', 'azure-openai'],
    ['https://my-resource.cognitiveservices.azure.com', 'gpt-x', 'azure-openai'],
    ['https://my-resource.services.ai.azure.com/openai/v1/', 'gpt-x', 'azure-openai'],
    ['https://my-resource.services.ai.azure.com/anthropic', 'claude-x', undefined],
    ['https://api.groq.example/openai/v1', 'a-model', undefined],
    ['https://gateway.example/v1', 'claude-x', undefined],
    ['https://gateway.example/v1', 'gemini-x', undefined],
    ['https://api.anthropic.com.evil.example/v1', 'claude-x', undefined],
    ['no URL', 'gemini-x', undefined],
  ])('%s with the model %s is of %s', (url, model, protocol) => expect(recognizeBase(url, model)).toBe(protocol));

  test.each([
    ['https://a.example/v1beta/openai', 'https://a.example/v1beta/openai/chat/completions'],
    ['https://a.example/v1beta/openai/', 'https://a.example/v1beta/openai/chat/completions'],
    ['https://a.example/openai', 'https://a.example/openai/v1/chat/completions'],
  ])("%s of OpenAI's dialect gets its requests at %s", (baseUrl, url) => {
    const target = { ...base, auth: 'key', agentId: 'm', baseUrl, messagesPath: null, createSession } as const;
    const { route } = protocols['openai-chat'].protocol
      .open(target)
      .converse('s')
      .request({ message: 'Hi', variableValues: '' });
    expect(urlOf(new URL(baseUrl), route).href).toBe(url);
  });
});
