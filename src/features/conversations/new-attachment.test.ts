import { expect, test } from 'vitest';
import { cleanFileName } from './new-attachment.ts';

test.each([
  ['C:\\photos\\cat.png', 'cat.png'],
  ['one line\n../../etc/cat.png', 'cat.png'],
  ['\u202Egnp.exe\u061C\u2028', 'gnp.exe'],
  ['صورة القط.png', 'صورة القط.png'],
  ['/', ''],
])(
  'the name of a received file is stored without folders and characters that hide its ending: %j',
  (sentName, name) => {
    expect(cleanFileName(sentName)).toBe(name);
  },
);
