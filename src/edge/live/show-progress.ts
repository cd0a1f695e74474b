import { createLogUpdate } from 'log-update';
import type { Live } from '../../record/live.ts';

export interface ProgressSource {
  /** Where progress goes: standard error on the command line. */
  stream: NodeJS.WriteStream;
  live: () => Live;
  /** A few lines, redrawn in place. */
  block: (live: Live) => string;
  line: (live: Live) => string;
}

export interface ProgressDisplay {
  /** Writes a line that stays, above what is redrawn. */
  note(text: string): void;
  /** Ends the display; a block that is redrawn goes. */
  stop(): void;
}

const redrawMs = 250;
const lineMs = 5000;

/** Shows progress: one block redrawn in place on a terminal, else a line now and then. */
export function showProgress(source: ProgressSource): ProgressDisplay {
  return source.stream.isTTY ? redraw(source) : writeLines(source);
}

function redraw({ stream, live, block }: ProgressSource): ProgressDisplay {
  const update = createLogUpdate(stream);
  const timer = setInterval(() => update(block(live())), redrawMs);
  return {
    note: (text) => {
      update.clear();
      stream.write(`${text}\n`);
    },
    stop: () => {
      clearInterval(timer);
      update.clear();
      update.done();
    },
  };
}

function writeLines({ stream, live, line }: ProgressSource): ProgressDisplay {
  const timer = setInterval(() => void stream.write(`${line(live())}\n`), lineMs);
  return { note: (text) => void stream.write(`${text}\n`), stop: () => clearInterval(timer) };
}
