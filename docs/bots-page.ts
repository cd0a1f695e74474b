// The generated part of docs/guides/bots.md.
import { recipeDefinition } from '../src/app/init/known-bot.ts';
import { readCurl } from '../src/app/init/read-curl.ts';
import type { Recipe } from '../src/app/init/recipes/recipe.ts';
import { recipes } from '../src/app/init/recipes/registry.ts';

/** Recipes of bots as Markdown: the commands that are recognized, and the definitions. */
export function botSections(): string {
  return recipes.map(sectionOf).join('\n\n');
}

function sectionOf(recipe: Recipe): string {
  const { message, creation } = readCurl(recipe.curl);
  const definition = recipeDefinition(recipe, { body: message.body, creationBody: creation?.body });
  const code = definition.replace(/^defineProtocol/m, `const bot = defineProtocol`);
  return [
    `### ${recipe.title}`,
    `${recipe.text} [Description of the API](${recipe.docs}).`,
    `\`\`\`\n${recipe.curl}\n\`\`\``,
    `\`\`\`ts\n${code};\n\`\`\``,
  ].join('\n\n');
}
