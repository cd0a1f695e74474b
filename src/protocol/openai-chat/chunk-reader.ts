import { isObject } from '../../base/is-object.ts';
import { refused, type Judged } from '../classify-whole.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import type { RepeatedEvent } from '../model-api/repeated-event.ts';
import { SaidText } from '../model-api/said-text.ts';
import type { Piece, Verdict } from '../protocol.ts';
import { CallParts } from './call-parts.ts';
import { judgeCompletion } from './judge-completion.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads the chunks of one completion. Only the first choice is the reply. */
export class ChunkReader implements EventReader {
  readonly end = 'a finish_reason';
  readonly said = new SaidText();
  #id = '';
  #model: unknown;
  #usage: unknown;
  #finishReason: string | undefined;
  #calls: CallParts | undefined;

  get hasEnded(): boolean {
    return this.#finishReason !== undefined;
  }

  get hasCalls(): boolean {
    return this.#calls !== undefined;
  }

  take(chunk: Fields): Piece | Verdict {
    const { id, choices } = chunk;
    if (!Array.isArray(choices)) return refused('contract_broken', 'a chunk without a list of choices');
    if (typeof id === 'string' && id !== '' && id !== this.#id) {
      if (this.#id !== '') return refused('contract_broken', 'a chunk of another completion');
      this.#id = id;
      this.#model = chunk['model'];
    }
    if (isObject(chunk['usage'])) this.#usage = chunk['usage'];
    const choice: unknown = choices[0];
    if (choice === undefined) return 'other';
    return isObject(choice) ? this.#takeChoice(choice) : refused('contract_broken', 'a choice that is no object');
  }

  say(event: RepeatedEvent): Piece {
    event.addTo(this.said);
    return event.isEmpty ? 'other' : 'content';
  }

  /** The completion that the chunks amount to, judged as a whole one is. */
  reply(hasDone: boolean): Judged {
    const message = { role: 'assistant', content: this.said.text, tool_calls: this.#calls?.whole() };
    const judged = judgeCompletion({
      id: this.#id,
      object: 'chat.completion',
      model: this.#model,
      choices: [{ index: 0, message, finish_reason: this.#finishReason }],
      usage: this.#usage,
    });
    return 'reply' in judged && !hasDone ? { reply: { ...judged.reply, lacksDone: true } } : judged;
  }

  #takeChoice({ index = 0, delta = null, finish_reason: finishReason }: Fields): Piece | Verdict {
    // Some services end with a choice that has no delta any more.
    if (delta !== null && !isObject(delta)) return refused('contract_broken', 'a delta that is no object');
    const isReply = index === 0;
    const taken = delta === null ? 'other' : this.#takeDelta(delta, isReply);
    // What other choices say is no part of the reply.
    const piece = isReply || typeof taken !== 'string' ? taken : 'other';
    if (isReply && typeof finishReason === 'string') this.#finishReason ??= finishReason;
    return piece;
  }

  #takeDelta(delta: Fields, isReply: boolean): Piece | Verdict {
    const { content = null, refusal, tool_calls: calls = null } = delta;
    if (content !== null && typeof content !== 'string')
      return refused('contract_broken', 'content is neither a text nor null');
    if (calls !== null && !Array.isArray(calls)) return refused('contract_broken', 'tool_calls is no list');
    const said = (content ?? '') + (typeof refusal === 'string' ? refusal : '');
    const hasCalls = calls !== null && calls.length > 0;
    if (isReply) this.said.add(said);
    if (isReply && hasCalls && !(this.#calls ??= new CallParts()).take(calls))
      return refused('contract_broken', 'a piece of a tool call without its index');
    if (said !== '' || hasCalls) return 'content';
    return isText(delta['reasoning_content']) || isText(delta['reasoning']) ? 'reasoning' : 'other';
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
