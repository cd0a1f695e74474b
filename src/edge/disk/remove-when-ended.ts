import { rmSync } from 'node:fs';
import { signalExitCodes, type SignalName } from '../../result/exit-code.ts';

const passing = new Set<string>();
const signals = Object.keys(signalExitCodes) as readonly SignalName[];

/** A process that exits, or is ended by a signal, does not leave this file behind. Gives what undoes that. */
export function removeWhenEnded(path: string): () => void {
  if (passing.size === 0) listen();
  passing.add(path);
  return () => {
    if (passing.delete(path) && passing.size === 0) forget();
  };
}

function listen(): void {
  process.on('exit', removeAll);
  for (const signal of signals) process.on(signal, end);
}

function forget(): void {
  process.off('exit', removeAll);
  for (const signal of signals) process.off(signal, end);
}

function removeAll(): void {
  for (const path of passing) rmSync(path, { force: true });
}

/** Where others listen too, they say what a signal does. Exits by itself: the first process of a container is ended by no signal. */
function end(signal: SignalName): void {
  if (process.listenerCount(signal) === 1) process.exit(signalExitCodes[signal]);
}
