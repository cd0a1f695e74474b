import { isReplyStatus } from '../classify-whole.ts';
import { errorInText, refuseError } from '../model-api/api-error.ts';
import type { Received, StreamEvent, StreamFormat, Verdict } from '../protocol.ts';
import { isKeepAliveType } from '../keep-alive.ts';
import { isTerminator } from '../terminator.ts';
import { DefinedStream, halfEvent } from './defined-stream.ts';
import type { ApiDefinition, StreamDefinition } from './definition.ts';
import { htmlPage, isHtmlPage } from './plain-text.ts';
import { isTextual, never, streamRules, type StreamRules } from './stream-rules.ts';

/** Returns the format of streamed replies by their definition. */
export function streamFormat(definition: ApiDefinition, stream: StreamDefinition): StreamFormat {
  const { format, end } = stream;
  const passesEmpty = typeof end === 'object' ? true : undefined;
  if (!isTextual(stream)) {
    const rules = streamRules(definition, stream);
    return { framing: format, isStated: true, isJson: true, passesEmpty, begin: () => new DefinedStream(rules) };
  }
  const { isEnd, ...rules } = streamRules({ errors: definition.errors }, stream);
  const framing = format === 'json-lines' ? 'lines' : format;
  const reading = { isEnd, mayBePage: format !== 'sse' };
  return { framing, isStated: true, passesEmpty, begin: () => new TextStream({ ...rules, isEnd: never }, reading) };
}

/** One streamed reply whose events are its text. The event that ends it is no part of it. */
class TextStream extends DefinedStream {
  readonly #reading: Pick<StreamRules, 'isEnd'> & { mayBePage: boolean };

  constructor(rules: StreamRules, reading: Pick<StreamRules, 'isEnd'> & { mayBePage: boolean }) {
    super(rules);
    this.#reading = reading;
  }

  protected override parse(event: StreamEvent): unknown {
    if (isKeepAliveType(event.type)) return undefined;
    const text = event.text();
    if (this.#reading.isEnd(event, text) || isTerminator(text)) {
      this.hasEnded = true;
      return undefined;
    }
    const error = errorInText(text);
    if (error !== undefined) this.fail(refuseError(error));
    else if (event.isHalf === true) this.fail(halfEvent);
    return text;
  }

  protected override judge(received: Received): Verdict {
    const isPage = received.failure === undefined && isReplyStatus(received.status) && this.#reading.mayBePage;
    if (isPage && isHtmlPage(this.text)) return htmlPage;
    const verdict = super.judge(received);
    const error = verdict.reply && errorInText(this.text);
    return error === undefined ? verdict : refuseError(error);
  }
}
