import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ownFile } from './own-files.ts';

/**
 * Places in the bundle become places in our sources: `…/dist/src/main.js:812:9` → `src/store/db.ts:41:5`. Node can do
 * it by itself (--enable-source-maps), but then keeps every map in memory: 40 MB for errors that may never come. Here a
 * map is read when a text names its file, and only what was found is kept.
 */
const BUNDLE = pathToFileURL(`${ownFile('.')}/`).href;
const PLACE = /file:\/\/[^\s()"\\]+?\.js:\d{1,7}:\d{1,7}/g;
/** A program has a few hundred places where it fails. */
const MAX_KEPT = 1_000;
const kept = new Map<string, string>();

export function withSourcePlaces(text: string): string {
  if (!text.includes(BUNDLE)) return text;
  return text.replaceAll(PLACE, (place) => {
    const known = kept.get(place) ?? sourceOf(place);
    if (kept.size < MAX_KEPT) kept.set(place, known);
    return known;
  });
}

function sourceOf(place: string): string {
  const [, url, line, column] = /^(.*):(\d+):(\d+)$/.exec(place)!;
  if (!url!.startsWith(BUNDLE)) return place;
  const file = fileURLToPath(url!);
  if (!existsSync(`${file}.map`)) return place;
  const { sources, mappings } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as {
    sources: string[];
    mappings: string;
  };
  const found = find(mappings, Number(line) - 1, Number(column) - 1);
  if (!found) return place;
  // The bundle lies one folder below the sources, in the checkout and in what is published.
  const source = path.relative(path.dirname(ownFile('.')), path.resolve(path.dirname(file), sources[found.source]!));
  return `${source}:${found.line + 1}:${found.column + 1}`;
}

type Found = { source: number; line: number; column: number };

/**
 * The last mapping at or before a place (https://tc39.es/ecma426/). Every number is the difference to the one before,
 * so all lines up to it are read.
 */
function find(mappings: string, line: number, column: number): Found | null {
  const at = { source: 0, line: 0, column: 0 };
  let found: Found | null = null;
  let row = 0;
  for (const mapped of mappings.split(';')) {
    let generated = 0;
    for (const segment of mapped === '' ? [] : mapped.split(',')) {
      const [start = 0, source, sourceLine, sourceColumn] = numbersOf(segment);
      generated += start;
      if (row === line && generated > column) return found;
      if (source === undefined) continue;
      at.source += source;
      at.line += sourceLine!;
      at.column += sourceColumn!;
      if (row === line) found = { ...at };
    }
    if (row++ === line) return found;
  }
  return null;
}

const DIGITS = new Map(
  Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', (sign, index) => [sign, index]),
);

/** Base 64, five bits a digit, the least first; the sixth bit says that more follow, the first of all is the sign. */
function numbersOf(segment: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const sign of segment) {
    const digit = DIGITS.get(sign)!;
    value += (digit & 31) * 2 ** shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    numbers.push(value % 2 === 1 ? -Math.floor(value / 2) : value / 2);
    value = 0;
    shift = 0;
  }
  return numbers;
}
