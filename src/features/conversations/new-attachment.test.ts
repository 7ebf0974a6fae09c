import { expect, test } from 'vitest';
import { cleanFileName } from './new-attachment.ts';

test.each([
  ['C:\\photos\\cat.png', 'cat.png'],
  ['one line\n../../etc/cat.png', 'cat.png'],
  ['\u202Egnp.exe\u061C\u2028', 'gnp.exe'],
  ['صورة القط.png', 'صورة القط.png'],
  ['/', ''],
])('what a sender calls a file has no folders and nothing that hides its end: %j', (said, name) => {
  expect(cleanFileName(said)).toBe(name);
});
