import { ChatLoadError } from '../base/errors.ts';
import { failedLine, invalidLine } from '../report/words/last-line.ts';

/** Reports an error that prevented a requested verdict; the text then ends with `line`. */
export class NoVerdict extends Error {
  readonly reason: ChatLoadError;
  readonly line: string;

  constructor(reason: ChatLoadError) {
    super(reason.message, { cause: reason });
    this.reason = reason;
    this.line = reason.code === 'not_comparable' ? invalidLine(reason.message) : failedLine(reason.message);
  }
}

/** Performs what ends with a verdict in words, even after an error. Rejects with `NoVerdict` for a `ChatLoadError`. */
export async function endWithVerdict(isInWords: boolean, perform: () => Promise<void>): Promise<void> {
  try {
    await perform();
  } catch (thrown) {
    throw isInWords && thrown instanceof ChatLoadError ? new NoVerdict(thrown) : thrown;
  }
}
