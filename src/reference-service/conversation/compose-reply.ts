import type { Fact } from './instructions.ts';
import type { Prompt } from './provider.ts';
import { anySkill, skills } from './skills.ts';

/**
 * Returns the scripted agent's reply: a pure function of the session's turns, the message and the values. It answers
 * questions by the table of skills, else quotes the message; it names its facts and asks for those that its instructions
 * need and the message does not contain.
 */
export function composeReply(prompt: Prompt): string {
  if (prompt.toolResult !== undefined) return [`The tool gave: ${prompt.toolResult}`, ...answersOf(prompt)].join(' ');
  const { facts, missing } = prompt.briefing;
  const sentences = answersOf(prompt);
  if (sentences.length === 0) sentences.push(...hearing(prompt));
  if (facts.length > 0) sentences.push(`I know: ${facts.map(nameFact).join(', ')}.`);
  if (missing.length > 0) sentences.push(`Could you tell me your ${missing.join(', ')}?`);
  return sentences.join(' ');
}

function answersOf(prompt: Prompt): string[] {
  const answers: string[] = [];
  if (!anySkill.test(prompt.message)) return answers;
  for (const skill of skills) {
    const found = skill.asked.exec(prompt.message);
    if (found !== null) answers.push(skill.answer(prompt, found));
  }
  return answers;
}

function hearing({ earlier, message }: Prompt): string[] {
  const heard = `Turn ${String(earlier.count + 1)}: you said "${shorten(message)}".`;
  const before = earlier.latestMessage;
  return before === undefined ? [heard] : [heard, `Before that you said "${shorten(before)}".`];
}

/** Formats a value with its name. */
export function nameFact({ name, value }: Fact): string {
  return `${name} = ${shorten(value)}`;
}

const maxQuoteLength = 120;

const shorten = (text: string): string =>
  text.length <= maxQuoteLength ? text : `${text.slice(0, maxQuoteLength)}...`;
