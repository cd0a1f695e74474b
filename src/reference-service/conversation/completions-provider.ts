import { z } from 'zod';
import { parseJson } from '../../base/json.ts';
import { ms, type Ms } from '../../base/time.ts';
import type { ProviderReply, Prompt, Provider } from './provider.ts';

export interface CompletionsOptions {
  /** The endpoint, such as `https://api.example.com/v1` or `.../v1/chat/completions`. */
  url: string;
  model: string;
  apiKey: string | undefined;
  /** Maximum duration of an answer; after it the provider has failed with 504. */
  timeout?: Ms;
}

const completion = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1) });

/**
 * Returns a provider that uses an OpenAI-compatible chat completions endpoint. Its error statuses are passed on to the
 * client; an unreachable endpoint or an unusable answer is a 502, a timeout a 504.
 */
export function completionsProvider(options: CompletionsOptions): Provider {
  const base = options.url.replace(/\/+$/, '');
  const url = base.endsWith('/chat/completions') ? base : `${base}/chat/completions`;
  const headers = {
    'content-type': 'application/json',
    ...(options.apiKey !== undefined && { authorization: `Bearer ${options.apiKey}` }),
  };
  const closing = new AbortController();
  let busy = 0;
  const ask = async (prompt: Prompt): Promise<ProviderReply> => {
    const patience = AbortSignal.timeout(options.timeout ?? ms(120_000));
    const body = JSON.stringify({ model: options.model, messages: messagesOf(prompt) });
    const signal = AbortSignal.any([patience, closing.signal]);
    busy++;
    try {
      return await read(await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' }));
    } catch {
      return failed(patience.aborted ? 504 : 502);
    } finally {
      busy--;
    }
  };
  const stream: Provider['stream'] = (prompt, since, play) => ask(prompt).then((reply) => play(reply, since));
  return { answer: ask, stream, load: () => ({ busy, waiting: 0 }), close: () => closing.abort() };
}

function messagesOf({ briefing, earlier, message }: Prompt): { role: string; content: string }[] {
  const ask = briefing.missing.length === 0 ? '' : `\nAsk the person you talk to for: ${briefing.missing.join(', ')}.`;
  return [
    { role: 'system', content: briefing.write() + ask },
    ...earlier.remembered().flatMap((turn) => [
      { role: 'user', content: turn.message },
      { role: 'assistant', content: turn.response },
    ]),
    { role: 'user', content: message },
  ];
}

async function read(response: Response): Promise<ProviderReply> {
  if (response.ok) {
    const { choices } = completion.parse(parseJson(await response.text()));
    return { kind: 'reply', text: choices[0]?.message.content ?? '' };
  }
  await response.body?.cancel();
  return failed(response.status, response.headers.get('retry-after') ?? undefined);
}

const failed = (status: number, retryAfter?: string): ProviderReply => ({ kind: 'failed', status, retryAfter });
