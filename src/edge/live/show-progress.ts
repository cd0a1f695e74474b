import { stripVTControlCharacters } from 'node:util';
import { createLogUpdate } from 'log-update';
import type { Live } from '../../record/live.ts';

interface ProgressSource {
  /** Standard error on the command line. */
  stream: NodeJS.WriteStream;
  live: () => Live;
  /** A few lines, redrawn in place. */
  block: (live: Live) => string;
  line: (live: Live) => string;
}

export interface ProgressDisplay {
  /** Writes a permanent line above the redrawn block. */
  note(text: string): void;
  /** Ends the display; a redrawn block is removed. */
  stop(): void;
}

const redrawMs = 250;
const lineMs = 5000;

/** Shows progress: one block redrawn in place on a terminal, otherwise a line every few seconds. */
export function showProgress(source: ProgressSource): ProgressDisplay {
  return source.stream.isTTY ? redraw(source) : writeLines(source);
}

function redraw({ stream, live, block }: ProgressSource): ProgressDisplay {
  const update = createLogUpdate(stream);
  let shown = '';
  const draw = (): void => update((shown = block(live())));
  const timer = setInterval(draw, redrawMs);
  const onResize = (): void => {
    const extra = wrappedRows(shown, stream.columns);
    update.clear();
    stream.write(eraseRowAbove.repeat(extra));
    draw();
  };
  stream.on('resize', onResize);
  return {
    note: (text) => {
      update.clear();
      shown = '';
      stream.write(`${text}\n`);
    },
    stop: () => {
      clearInterval(timer);
      stream.off('resize', onResize);
      update.clear();
      update.done();
    },
  };
}

/** Returns the number of additional rows of a text once the terminal is narrower and wraps its lines. */
const wrappedRows = (text: string, columns: number): number =>
  stripVTControlCharacters(text)
    .split('\n')
    .reduce((extra, line) => extra + Math.max(0, Math.ceil(line.length / Math.max(1, columns)) - 1), 0);

const escape = String.fromCharCode(27);
const eraseRowAbove = `${escape}[1A${escape}[2K`;

function writeLines({ stream, live, line }: ProgressSource): ProgressDisplay {
  const timer = setInterval(() => void stream.write(`${line(live())}\n`), lineMs);
  return { note: (text) => void stream.write(`${text}\n`), stop: () => clearInterval(timer) };
}
