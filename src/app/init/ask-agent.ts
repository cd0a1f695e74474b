import {
  defaultProtocol,
  mostUsual,
  protocolName,
  protocolNames,
  protocols,
  unknownProtocol,
} from '../../protocol/registry/registry.ts';
import { recognizeUrl } from '../../scenario/recognize-url.ts';
import { urlProblem, type AgentAnswers } from './agent-scenario.ts';
import { ownApi } from './own-protocol.ts';

/** Asks one question; an empty answer is the default. */
export type Ask = (question: string, usual: string) => Promise<string>;

/** The APIs that can be answered by a number. */
const apis: readonly string[] = [...protocolNames, ownApi];

/** Asks for the target of a scenario: at most four questions, each again until its answer is usable. */
export async function askAgent(ask: Ask, hasKey: boolean): Promise<AgentAnswers> {
  const url = await askUntilUsable(ask, ['URL of the service', 'http://localhost:8000/v1'], urlProblem);
  const byPath = recognizeUrl(url)?.protocol;
  const protocol = byPath ?? apiOf(await askUntilUsable(ask, [whichApi, usualApi(url)], apiProblem));
  const known = protocolName(protocol);
  const { agentsOnly, wholeOnly } = known === undefined ? {} : protocols[known].protocol;
  const named = known === undefined ? {} : await askName(ask, agentsOnly === true);
  const stream =
    wholeOnly !== true && /^y/i.test(await askUntilUsable(ask, ['Streamed replies? (y/n)', 'y'], noChoice));
  return { url, protocol, ...named, stream, hasKey };
}

/** Asks again, with the problem first, until an answer has none. */
async function askUntilUsable(
  ask: Ask,
  [question, usual]: readonly [string, string],
  problemOf: (answer: string) => string | undefined,
): Promise<string> {
  for (let told = ''; ;) {
    const answer = await ask(told + question, usual);
    const problem = problemOf(answer);
    if (problem === undefined) return answer;
    told = `${problem}\n`;
  }
}

async function askName(ask: Ask, isAgent: boolean): Promise<Pick<AgentAnswers, 'model' | 'agentId'>> {
  return isAgent ? { agentId: await ask('Agent', 'my-agent') } : { model: await ask('Model', 'my-model') };
}

const whichApi = [
  'Which API?',
  ...apis.map((name, index) => `  ${String(index + 1)} ${name}${name === ownApi ? ', an API of your own' : ''}`),
  'Number or name',
].join('\n');

const apiOf = (answer: string): string => apis[Number(answer) - 1] ?? answer;

const apiProblem = (answer: string): string | undefined =>
  apis.includes(apiOf(answer)) ? undefined : unknownProtocol(answer);

const noChoice = (answer: string): string | undefined =>
  /^(?:y|yes|n|no)$/i.test(answer) ? undefined : 'Answer y or n.';

/** Model servers have a version in their base URL. */
const usualApi = (url: string): string => (/\/v1\/?$/.test(url) ? mostUsual : defaultProtocol);
