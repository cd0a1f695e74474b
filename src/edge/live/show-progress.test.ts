import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Live } from '../../record/live.ts';
import { showProgress } from './show-progress.ts';

const escape = String.fromCharCode(27);
const tokens = new RegExp(`${escape}\\[\\??([0-9;]*)([A-Za-z])|\\n|[^${escape}\\n]+`, 'gu');

/** A terminal that rewraps its lines when resized, as most do. */
class FakeTerminal extends EventEmitter {
  readonly isTTY = true;
  columns: number;
  rows = 30;
  lines: string[] = [''];
  #row = 0;

  constructor(columns: number) {
    super();
    this.columns = columns;
  }

  write(text: string): boolean {
    for (const [token, count = '', name] of text.matchAll(tokens)) {
      if (name !== undefined) this.#control(name, Number(count || '1'));
      else if (token === '\n') this.#move(1);
      else this.#put(token);
    }
    return true;
  }

  resize(columns: number): void {
    const broken = this.lines.map((line) => line.match(new RegExp(`.{1,${String(columns)}}`, 'gu')) ?? ['']);
    this.#row = broken.slice(0, this.#row).flat().length;
    this.lines = broken.flat();
    this.columns = columns;
    this.emit('resize');
  }

  /** Visible text of the terminal. */
  get text(): string {
    return this.lines.join('\n').trimEnd();
  }

  #put(text: string): void {
    expect(text.length).toBeLessThanOrEqual(this.columns);
    this.lines[this.#row] = text;
  }

  #control(name: string, count: number): void {
    if (name === 'A' || name === 'F') this.#move(-count);
    if (name === 'B' || name === 'E') this.#move(count);
    if (name === 'K') this.lines[this.#row] = '';
    if (name === 'J') this.lines.splice(this.#row, Infinity, '');
  }

  #move(by: number): void {
    this.#row = Math.max(0, this.#row + by);
    while (this.lines.length <= this.#row) this.lines.push('');
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the block that is redrawn in place', () => {
  const open = () => {
    const terminal = new FakeTerminal(80);
    let frame = 0;
    const block = (): string => {
      frame += 1;
      return ['a', 'b', 'c'].map((name) => `${name}${String(frame)} `.padEnd(terminal.columns, name)).join('\n');
    };
    terminal.write('before\n');
    const stream = terminal as unknown as NodeJS.WriteStream;
    const display = showProgress({ stream, live: () => ({}) as Live, block, line: () => '' });
    return { terminal, display, blocks: () => terminal.text.match(/^a\d/gm)?.length ?? 0 };
  };

  test.each([[[40]], [[40, 100]], [[30, 20, 79]], [[200, 10]]])('appears once after the widths %j', (widths) => {
    const { terminal, display, blocks } = open();
    vi.advanceTimersByTime(600);
    expect(blocks()).toBe(1);
    for (const width of widths) {
      terminal.resize(width);
      expect(terminal.lines[0]).toBe('before');
      expect(blocks()).toBe(1);
      expect(terminal.text.split('\n')).toHaveLength(4);
      vi.advanceTimersByTime(600);
      expect(blocks()).toBe(1);
    }
    display.stop();
    expect(terminal.text).toBe('before');
    expect(terminal.listenerCount('resize')).toBe(0);
  });

  test('leaves notes above it, and is removed at the end', () => {
    const { terminal, display, blocks } = open();
    vi.advanceTimersByTime(300);
    display.note('a note');
    vi.advanceTimersByTime(300);
    expect([terminal.text.split('\n').slice(0, 2), blocks()]).toEqual([['before', 'a note'], 1]);
    display.stop();
    expect(terminal.text).toBe('before\na note');
  });
});
