import { completionRuleSet } from '../openai-chat/completion-rules.ts';

/** The first event of a stream only has the results of the filters on the prompt: no id and no choices. */
export const ruleSet = completionRuleSet(
  'Azure OpenAI in Azure AI Foundry Models REST API reference',
  ({ prompt_filter_results: results }) => results !== undefined,
);
