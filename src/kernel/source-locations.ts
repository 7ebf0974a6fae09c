import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ownFile } from './own-files.ts';

/**
 * Converts places in the bundle to places in our sources, for example `…/dist/src/main.js:812:9` to
 * `src/store/db.ts:41:5`. Node can convert them too (--enable-source-maps), but keeps every map in memory, which is 40
 * MB for errors that may never happen. This file reads a map only when a text names its file, and caches only the
 * converted places.
 */
const BUNDLE = pathToFileURL(`${ownFile('.')}/`).href;
/** The length is limited, because a text of a stranger may repeat the beginning of a place without an end. */
const PLACE = /file:\/\/[^\s()"\\]{1,512}?\.js:\d{1,7}:\d{1,7}/g;
/** A program has only a few hundred places where an error can arise. */
const MAX_KEPT = 1_000;
const cached = new Map<string, string>();

export function withSourceLocations(text: string): string {
  if (!text.includes(BUNDLE)) return text;
  const unknown = new Set((text.match(PLACE) ?? []).filter((place) => !cached.has(place)));
  const found = sourcesOf([...unknown]);
  for (const [place, source] of found) if (cached.size < MAX_KEPT) cached.set(place, source);
  return text.replaceAll(PLACE, (place) => cached.get(place) ?? found.get(place) ?? place);
}

type Place = { place: string; line: number; column: number };

/** A stack names the same file many times, so the map of a file is read once. */
function sourcesOf(places: readonly string[]): Map<string, string> {
  const byFile = new Map<string, Place[]>();
  for (const place of places) {
    const [, url, line, column] = /^(.*):(\d+):(\d+)$/.exec(place)!;
    if (!url!.startsWith(BUNDLE)) continue;
    const file = fileURLToPath(url!);
    byFile.set(file, [...(byFile.get(file) ?? []), { place, line: Number(line) - 1, column: Number(column) - 1 }]);
  }
  const found = new Map<string, string>();
  for (const [file, wanted] of byFile) {
    if (!existsSync(`${file}.map`)) continue;
    const { sources, mappings } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as {
      sources: string[];
      mappings: string;
    };
    // In the checkout and in the published package, the bundle is one folder below the sources.
    const nameOf = (source: number): string =>
      path.relative(path.dirname(ownFile('.')), path.resolve(path.dirname(file), sources[source]!));
    for (const [{ place }, { source, line, column }] of find(mappings, wanted))
      found.set(place, `${nameOf(source)}:${line + 1}:${column + 1}`);
  }
  return found;
}

type Found = { source: number; line: number; column: number };
const COMMA = 44;
const SEMICOLON = 59;

/**
 * Finds the last mapping at or before each place (https://tc39.es/ecma426/). Every number is the difference to the
 * previous number, so all lines up to the last place are read. A megabyte takes a few milliseconds, because the
 * function creates no object for the skipped mappings.
 */
function find(mappings: string, places: readonly Place[]): Map<Place, Found> {
  const found = new Map<Place, Found>();
  const byLine = Map.groupBy(places, ({ line }) => line);
  const last = Math.max(...byLine.keys());
  let [row, generated, source, line, column] = [0, 0, 0, 0, 0];
  let [field, value, shift] = [0, 0, 0];
  for (let at = 0; at <= mappings.length && row <= last; at++) {
    const sign = at < mappings.length ? mappings.charCodeAt(at) : SEMICOLON;
    if (sign === COMMA || sign === SEMICOLON) {
      if (field > 1)
        for (const place of byLine.get(row) ?? [])
          if (generated <= place.column) found.set(place, { source, line, column });
      field = 0;
      if (sign === COMMA) continue;
      row++;
      generated = 0;
      continue;
    }
    // The numbers are in base 64 with five bits per digit, the least significant digit first. The sixth bit means that
    // another digit follows. The lowest bit of the first digit is the sign of the number.
    const digit = DIGITS[sign]!;
    value += (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    const number = (value & 1) === 1 ? -(value >>> 1) : value >>> 1;
    if (field === 0) generated += number;
    else if (field === 1) source += number;
    else if (field === 2) line += number;
    else if (field === 3) column += number;
    field++;
    [value, shift] = [0, 0];
  }
  return found;
}

/** The value of each digit, by its character code. */
const DIGITS = new Uint8Array(128);
Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', (sign, digit) => {
  DIGITS[sign.charCodeAt(0)] = digit;
});
