import { createLogUpdate } from 'log-update';
import type { Live } from '../../record/live.ts';

export interface ProgressDisplay {
  /** Where progress goes: standard error on the command line. */
  stream: NodeJS.WriteStream;
  live: () => Live;
  /** A few lines, redrawn in place. */
  block: (live: Live) => string;
  line: (live: Live) => string;
}

const redrawMs = 250;
const lineMs = 5000;

/** Shows progress until the returned function is called: one block redrawn in place on a terminal, else a line now and then. */
export function showProgress(display: ProgressDisplay): () => void {
  return display.stream.isTTY ? redraw(display) : writeLines(display);
}

function redraw({ stream, live, block }: ProgressDisplay): () => void {
  const update = createLogUpdate(stream);
  const timer = setInterval(() => update(block(live())), redrawMs);
  return () => {
    clearInterval(timer);
    update.clear();
    update.done();
  };
}

function writeLines({ stream, live, line }: ProgressDisplay): () => void {
  const timer = setInterval(() => void stream.write(`${line(live())}\n`), lineMs);
  return () => clearInterval(timer);
}
