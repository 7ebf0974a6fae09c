import { DocumentFault } from './document-fault.ts';
import { type Drawn, type Line, linesOf } from './pdf-lines.ts';
import { TextWriter } from './text-writer.ts';

/**
 * Reads the text of a PDF. A PDF has no headings and no paragraphs, only letters with positions. Larger letters become
 * headings, and a wider gap starts a new paragraph. The reader leaves out a line with which most pages begin or end.
 */
const MAX_PAGES = 2_000;
/** A page without any letter is a picture of text. At least this share of the pages must contain letters. */
const MIN_READABLE = 0.1;
const LARGER = 1.15;
const GAP = 1.6;
const MAX_HEADING_CHARACTERS = 200;
/** At most this share of the letters may lack a mapping to characters. */
const MAX_UNKNOWN = 0.02;
const MIN_DEVANAGARI = 200;
/** In a file with fewer pages, a repeated line may be normal text. */
const MIN_PAGES_THAT_REPEAT = 4;
const REPEATS = 0.6;

export async function readPdf(bytes: Uint8Array): Promise<string> {
  const { getDocumentProxy } = await import('unpdf');
  // The bytes are copied, because the library takes ownership of them and refuses a Buffer.
  const pdf = await getDocumentProxy(new Uint8Array(bytes), {
    stopAtErrors: false,
    maxImageSize: 1,
    enableXfa: false,
  }).catch((error: unknown) => {
    throw explained(error);
  });
  if (pdf.numPages > MAX_PAGES)
    throw new DocumentFault('too_many_pages', `The PDF has more than ${MAX_PAGES} pages. Split it into several files.`);
  const pages: Line[][] = [];
  const drawn = { letters: 0, unknown: 0, devanagari: 0, short: 0 };
  for (let n = 1; n <= pdf.numPages; n++) {
    const page = await pdf.getPage(n).catch((error: unknown) => {
      throw explained(error);
    });
    const { items } = await page.getTextContent();
    const runs = items.flatMap((item) => ('str' in item ? [drawnOf(item)] : []));
    for (const { text } of runs) count(drawn, text);
    pages.push(linesOf(runs));
    page.cleanup();
  }
  checkReadable(pages);
  checkLetters(drawn);
  return write(withoutRepeated(pages));
}

type TextItem = { str: string; transform: number[]; width: number; height: number; hasEOL: boolean };

const drawnOf = ({ str, transform, width, height, hasEOL }: TextItem): Drawn => ({
  text: str,
  x: transform[4] ?? 0,
  y: transform[5] ?? 0,
  width,
  height,
  endsLine: hasEOL,
});

function checkReadable(pages: readonly Line[][]): void {
  const readable = pages.filter((lines) => lines.some(({ text }) => /[\p{L}\p{N}]/u.test(text))).length;
  if (readable > 0 && readable >= pages.length * MIN_READABLE) return;
  const detail =
    'The PDF has no text, only pictures: it was scanned. Run text recognition (OCR) on it and add it again.';
  throw new DocumentFault('scanned', detail);
}

/**
 * Some programs store letters of Indic scripts in a form that the library does not read. In Hindi, about one in ten
 * words has the vowel sign of a short i. A text without this vowel sign was read wrongly, so the file is refused.
 */
type Counted = { letters: number; unknown: number; devanagari: number; short: number };

function count(counted: Counted, text: string): void {
  for (const letter of text) {
    if (letter === '\0') counted.unknown++;
    else if (letter !== ' ') counted.letters++;
    if (letter >= '\u0900' && letter <= '\u097f') counted.devanagari++;
    if (letter === '\u093f') counted.short++;
  }
}

function checkLetters({ letters, unknown, devanagari, short }: Counted): void {
  if (unknown < letters * MAX_UNKNOWN && (devanagari < MIN_DEVANAGARI || short > 0)) return;
  const detail =
    'Letters of this PDF cannot be read, because its fonts do not contain their codes. Add the Word file or the page instead.';
  throw new DocumentFault('letters_missing', detail);
}

function withoutRepeated(pages: readonly Line[][]): Line[][] {
  if (pages.length < MIN_PAGES_THAT_REPEAT) return [...pages];
  const seen = new Map<string, number>();
  for (const lines of pages)
    for (const edge of new Set(edgesOf(lines).map(alike))) seen.set(edge, (seen.get(edge) ?? 0) + 1);
  const repeats = (line: Line): boolean => (seen.get(alike(line)) ?? 0) >= pages.length * REPEATS;
  return pages.map((lines) => {
    // A page with so few lines has only header and footer lines.
    if (lines.length < 5) return lines;
    const edges = new Set(edgesOf(lines));
    return lines.filter((line) => !edges.has(line) || !repeats(line));
  });
}

const edgesOf = (lines: readonly Line[]): Line[] => [...lines.slice(0, 2), ...lines.slice(-2)];

/** Digits are ignored, so "Page 3 of 9" equals "Page 4 of 9". */
const alike = ({ text }: Line): string => text.replaceAll(/\p{N}+/gu, '0');

function write(pages: readonly Line[][]): string {
  const writer = new TextWriter();
  const body = bodyHeight(pages);
  let paragraph: string[] = [];
  const end = (): void => {
    writer.paragraph(paragraph.join('\n').replaceAll(/(\p{Ll})-\n(?=\p{Ll})/gu, '$1'));
    paragraph = [];
  };
  for (const lines of pages) {
    let before: Line | null = null;
    for (const line of lines) {
      const level = levelOf(line, body);
      if (level !== null) {
        end();
        writer.heading(level, line.text);
      } else {
        if (before !== null && Math.abs(before.y - line.y) > GAP * Math.max(line.height, 1)) end();
        paragraph.push(line.text);
      }
      before = line;
    }
    // A sentence that continues on the next page stays in one paragraph.
    if (/[.!?؟।:]$/.test(paragraph.at(-1) ?? '')) end();
  }
  end();
  return writer.text();
}

/** Returns the height that most letters have. */
function bodyHeight(pages: readonly Line[][]): number {
  const letters = new Map<number, number>();
  for (const { text, height } of pages.flat()) {
    const rounded = Math.round(height * 2) / 2;
    letters.set(rounded, (letters.get(rounded) ?? 0) + text.length);
  }
  let [most, body] = [0, 0];
  for (const [height, count] of letters) if (count > most) [most, body] = [count, height];
  return body;
}

function levelOf({ text, height }: Line, body: number): number | null {
  if (height < body * LARGER || text.length > MAX_HEADING_CHARACTERS || !/\p{L}/u.test(text)) return null;
  return height >= body * 1.8 ? 1 : height >= body * 1.4 ? 2 : 3;
}

function explained(error: unknown): Error {
  const name = error instanceof Error ? error.name : '';
  if (name === 'PasswordException')
    return new DocumentFault(
      'encrypted',
      'The PDF is protected by a password. Save it without a password and add it again.',
    );
  return new DocumentFault('broken', 'The PDF is damaged and cannot be read. Save or export it again.');
}
