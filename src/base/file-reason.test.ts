import { expect, test } from 'vitest';
import { fileReason } from './file-reason.ts';

test.each([
  ['ENOENT', 'no such file or folder'],
  ['EACCES', 'permission is denied'],
  ['ENOSPC', 'the disk is full'],
  ['EMFILE', 'EMFILE: open x'],
])('a failure with the code %s is described: %s', (code, words) => {
  expect(fileReason(Object.assign(new Error('EMFILE: open x'), { code }))).toBe(words);
});

test('another error keeps its message', () => {
  expect([fileReason(new Error('line 3 is not JSON')), fileReason('odd')]).toEqual(['line 3 is not JSON', 'odd']);
});
