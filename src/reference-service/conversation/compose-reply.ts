import type { Fact } from './instructions.ts';
import type { Prompt } from './provider.ts';

/**
 * Returns the scripted agent's reply: a pure function of the session's turns, the message and the values. It answers
 * questions by the table of skills, otherwise it quotes the message. It names its facts and asks for missing facts that
 * its instructions need.
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

/** A question to the scripted agent: its pattern, and its answer as a pure function of the prompt. */
interface Skill {
  asked: RegExp;
  answer(prompt: Prompt, found: RegExpExecArray): string;
}

const givenCodePattern = /\bremember this code: ?(\S+)/i;

/** Returns the code in a message, if any. */
export function givenCode(message: string): string | undefined {
  return givenCodePattern.exec(message)?.[1];
}

/** The skills of the scripted agent, in the order of its answers; `protocol/chat-messaging/questions` contains the questions. */
export const skills: readonly Skill[] = [
  {
    asked: /what did i (?:say|tell you) first\b/i,
    answer: ({ earlier }) => {
      const first = earlier.at(1);
      return first === undefined ? 'You have told me nothing before this.' : `First you told me: "${first.message}"`;
    },
  },
  {
    asked: /what did i (?:say|tell you) in turn (\d{1,9})\b/i,
    answer: ({ earlier }, found) => {
      const turn = Number(found[1]);
      const then = earlier.at(turn);
      if (then !== undefined) return `In turn ${String(turn)} you said: "${then.message}"`;
      return turn >= 1 && turn <= earlier.count
        ? `I no longer know what you said in turn ${String(turn)}.`
        : `There was no turn ${String(turn)} before this one.`;
    },
  },
  {
    asked: /\blist what i said\b/i,
    answer: ({ earlier }) =>
      ['You said:', ...earlier.remembered().map(({ turn, message }) => `${String(turn)}. ${message}`)].join('\n'),
  },
  {
    asked: /\bhow many turns\b/i,
    answer: ({ earlier }) => `This is turn ${String(earlier.count + 1)}.`,
  },
  {
    asked: givenCodePattern,
    answer: (_, found) => `I will remember the code ${found[1] ?? ''}`,
  },
  {
    asked: /\bwhich code did i tell you\b/i,
    answer: ({ earlier }) => {
      const code = lastCode(earlier.remembered().map(({ message }) => message));
      return code === undefined ? 'You have told me no code.' : `The code you told me is ${code}`;
    },
  },
  {
    asked: /\brepeat this tag: ?(\S+)/i,
    answer: (_, found) => `Tag: ${found[1] ?? ''}`,
  },
];

/** Matches a question to any skill, because most messages contain none and should be searched only once. */
const anySkill = new RegExp(skills.map(({ asked }) => asked.source).join('|'), 'i');

function lastCode(messages: readonly string[]): string | undefined {
  const latest = messages.findLast((message) => givenCode(message) !== undefined);
  return latest === undefined ? undefined : givenCode(latest);
}
