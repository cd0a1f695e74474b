import type { Fields } from '../answer.ts';
import type { Answer } from '../post.ts';
import type { ApiTalk } from './api-talk.ts';
import type { Dialect } from './dialect.ts';

/** A question whose answer is longer than any limit here. */
export const longQuestion =
  'Please count from one to one hundred in words, one number after the other, without leaving any out, and write nothing else at all.';

/** The reply to a message with a limit of tokens, by the first way of saying it that the service takes. */
export async function limitedReply(
  talk: ApiTalk,
  { limits }: Dialect,
  message: Fields,
  isStreamed = false,
): Promise<Answer> {
  const send = (limit: Fields): Promise<Answer> => talk.send({ ...message, ...limit }, { isStreamed });
  const [first = {}, ...others] = limits;
  let answer = await send(first);
  for (const limit of others) if (answer.status === 400) answer = await send(limit);
  return answer;
}
