import { createLogUpdate } from 'log-update';
import { printable } from '../base/printable.ts';
import { shownText, stderr } from './terminal.ts';

/** One line of standard error that says what is being done. */
interface Status {
  notify: (text: string) => void;
  /** Writes a line that stays. */
  note: (text: string) => void;
  stop: () => void;
}

/** Redrawn in place on a terminal; nothing elsewhere but notes. */
export function openStatus(doing: string): Status {
  if (!stderr.isTTY) return { notify: () => undefined, note: (text) => stderr.note(text), stop: () => undefined };
  const update = createLogUpdate(process.stderr);
  return {
    notify: (text) => update(stderr.colors.cyan(shownText(`${doing}: ${printable(text)}`, false))),
    note: (text) => {
      update.clear();
      stderr.note(text);
    },
    stop: () => {
      update.clear();
      update.done();
    },
  };
}
