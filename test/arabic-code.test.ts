import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { expect, test } from 'vitest';

const LITERAL = /(['`])((?:\\.|(?!\1).)*[\u0600-\u06ff](?:\\.|(?!\1).)*)\1/g;
/** Code that begins with a sign, unless a direction mark, a Latin word or a bracket is before it. */
const BEGINS = /(?<![\u200e\u2066\w(:/.<-]|\w )[./@#<-]+[A-Za-z]\w*/g;
/** Code that ends with a sign, unless a direction mark is after it. */
const ENDS = /[A-Za-z][\w./:-]*(?:\/|_|-|(?<=<[\w/]+)>)(?![\u200e\u2069…\w/.-])/g;

/** Between Arabic letters, a sign at the edge of code moves to its other side unless a direction mark is beside it. */
const unmarked = (text: string): string[] => [BEGINS, ENDS].flatMap((pattern) => text.match(pattern) ?? []);

test('code in Arabic texts keeps its signs on their side', async () => {
  const found: string[] = [];
  let texts = 0;
  for await (const file of glob('{dashboard,widget}/src/**/*texts.{ts,tsx}'))
    for (const [, , text = ''] of readFileSync(file, 'utf8').matchAll(LITERAL)) {
      texts++;
      found.push(...unmarked(text.replaceAll(/\{+[^}]*\}+/g, ' ')).map((code) => `${file}: ${code} in ${text}`));
    }
  expect(texts).toBeGreaterThan(1_000);
  expect(found).toEqual([]);
});

test('a sign without a direction mark is found', () => {
  expect(unmarked('ابدأ بـ https://، ثم')).toEqual(['https://']);
  expect(unmarked('في رد /api/me.')).toEqual(['/api']);
  expect(unmarked('ابدأ بـ \u200ehttps://\u200e، ثم \u2066/api/me\u2069. Parley')).toEqual([]);
});
