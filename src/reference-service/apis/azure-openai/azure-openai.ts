import { isObject } from '../../../base/is-object.ts';
import type { ServedApi } from '../../exchange/served-api.ts';
import { keyIn } from '../../http/receive-body.ts';
import type { ModelApi } from '../../model-api/model-api.ts';
import { serveApi } from '../../model-api/serve-api.ts';
import { chatApi, CompletionSerializer } from '../openai-chat/openai-chat.ts';

/** Paths of messages after `/openai/`: of all deployments, and of one deployment, which the path names. */
const paths = /^(?:v1|deployments\/([^/]+))\/chat\/completions$/;

const completions: ModelApi = {
  ...chatApi,
  read: (body, { '*': path = '' } = {}) => {
    const [isMessage, deployment] = paths.exec(path) ?? [];
    if (isMessage === undefined) return { status: 404, message: 'Resource not found' };
    const model = deployment === undefined ? undefined : decodeURIComponent(deployment);
    return chatApi.read(model === undefined || !isObject(body) ? body : { ...body, model });
  },
  whole: (reply) => {
    const whole = JSON.parse(chatApi.whole(reply)) as { choices: object[] };
    const choices = whole.choices.map((choice) => ({ ...choice, content_filter_results: nothingFiltered }));
    return JSON.stringify({ ...whole, choices, prompt_filter_results: promptResults });
  },
  stream: (reply) => new AzureSerializer(reply),
};

/** Chat completions of Azure OpenAI. */
export const servedApi: ServedApi = {
  endpoints: {
    message: {
      path: '/openai/*',
      shownPath: '/openai/v1/chat/completions',
      meaning: "Azure OpenAI's chat completions: `v1/chat/completions`, or `deployments/NAME/chat/completions`",
      body: { model: 'agent-support', messages: [{ role: 'user', content: 'Where is my order?' }], stream: false },
      serve: (exchange, incoming) => serveApi(exchange, incoming, completions),
    },
  },
  keyIn: (headers) => {
    const { 'api-key': key } = headers;
    return typeof key === 'string' ? `Bearer ${key}` : keyIn(headers);
  },
};

const nothingFiltered = {
  hate: { filtered: false, severity: 'safe' },
  violence: { filtered: false, severity: 'safe' },
};
const promptResults = [{ prompt_index: 0, content_filter_results: nothingFiltered }];

/** The first event has the results of the filters on the prompt. */
class AzureSerializer extends CompletionSerializer {
  override opening(): string[] {
    const filtered = { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: promptResults };
    return [`data: ${JSON.stringify(filtered)}\n\n`, ...super.opening()];
  }
}
