import { botpress } from './botpress.ts';
import { coze } from './coze.ts';
import { dify } from './dify.ts';
import { directLine } from './direct-line.ts';
import { flowise } from './flowise.ts';
import { langServe } from './langserve.ts';
import { n8n } from './n8n.ts';
import { ollama } from './ollama.ts';
import { rasa } from './rasa.ts';
import type { Recipe } from './recipe.ts';
import { typebot } from './typebot.ts';
import { voiceflowSessions } from './voiceflow-sessions.ts';
import { voiceflow } from './voiceflow.ts';

/** All recipes, in the order of the docs. */
export const recipes: readonly Recipe[] = [
  flowise,
  n8n,
  dify,
  rasa,
  langServe,
  ollama,
  typebot,
  voiceflow,
  voiceflowSessions,
  coze,
  directLine,
  botpress,
];
