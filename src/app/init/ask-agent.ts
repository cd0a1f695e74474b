import { knownProtocols, protocolNames } from '../../scenario/known-protocols.ts';
import { recognizeUrl } from '../../scenario/recognize-url.ts';
import type { AgentAnswers } from './agent-scenario.ts';

/** Asks one question; an empty answer is the default. */
export type Ask = (question: string, usual: string) => Promise<string>;

/** The APIs that can be answered by a number. */
const apis: Readonly<Record<string, string>> = Object.fromEntries(
  protocolNames.map((name, index) => [String(index + 1), name]),
);

/** Asks for the target of a scenario: at most four questions. */
export async function askAgent(ask: Ask, hasKey: boolean): Promise<AgentAnswers> {
  const url = await ask('URL of the service', 'http://localhost:8000/v1');
  const byPath = recognizeUrl(url)?.protocol;
  const protocol = byPath ?? readApi(await ask(`Which API?\n${apiList}\nNumber or name`, usualApi(url)));
  const known = protocolNames.find((name) => name === protocol);
  const { agentsOnly, wholeOnly } = known === undefined ? {} : knownProtocols[known];
  const name = await ask(agentsOnly === true ? 'Agent' : 'Model', agentsOnly === true ? 'my-agent' : 'my-model');
  const stream = wholeOnly !== true && /^y/i.test(await ask('Streamed replies? (y/n)', 'y'));
  return { url, protocol, ...(agentsOnly === true ? { agentId: name } : { model: name }), stream, hasKey };
}

const apiList = Object.entries(apis)
  .map(([number, name]) => `  ${number} ${name}`)
  .join('\n');

const readApi = (answer: string): string => apis[answer] ?? answer;

/** Model servers have a version in their base URL. */
const usualApi = (url: string): string => (/\/v1\/?$/.test(url) ? 'openai-chat' : 'chat-messaging');
