import type { Passage, Wording } from '../provider.ts';

/**
 * Splits a Markdown or plain-text document into passages that can be quoted: paragraphs, list items, table rows. Each
 * passage keeps the headings above it, because "Friday: closed" means nothing without "Opening hours". A table row is
 * written out with its column names. The heading path of a list item contains the sentence that introduces the list.
 * The function yields null for a line that completes no passage, so that the caller can pause at this point.
 */
export function* passagesOf(document: DocumentText): Generator<Passage | null, void> {
  const splitter = new Splitter(document);
  for (const line of document.text.slice(0, MAX_DOCUMENT_CHARACTERS).split(/\r\n|\r|\n|\u2028|\u2029/)) {
    for (const part of line.length <= MAX_LINE_CHARACTERS ? [line] : (line.match(LONG_LINE) ?? [])) {
      splitter.take(part);
      yield null;
      yield* splitter.taken();
    }
  }
  splitter.end();
  yield* splitter.taken();
}

export type DocumentText = {
  id: string;
  name: string;
  text: string;
  /** The questions that were learned for passages, with the keys of the passages. */
  wordings?: readonly ({ passage: string } & Wording)[];
};

/** The limit of two million characters is a book of a thousand pages. Longer documents are ignored after the limit. */
export const MAX_DOCUMENT_CHARACTERS = 2_000_000;
export const MAX_PASSAGES_PER_DOCUMENT = 20_000;
/** A paragraph with more characters is cut at the ends of sentences, so that a quote stays a quote. */
export const MAX_PASSAGE_CHARACTERS = 700;
const MAX_PARAGRAPH_CHARACTERS = 50_000;
/**
 * The time for Markdown grows faster than the length of a line, so a line with more characters is processed in pieces.
 */
const MAX_LINE_CHARACTERS = 2_000;
const LONG_LINE = new RegExp(`.{1,${MAX_LINE_CHARACTERS}}(?:\\s|$)|.{1,${MAX_LINE_CHARACTERS}}`, 'gsu');
export const HEADING_SEPARATOR = ' › ';
const MAX_HEADING_CHARACTERS = 200;
/** The heading of an item repeats the items above it, so a list with a thousand levels would become huge. */
const MAX_LIST_DEPTH = 12;
/** The level of a guessed heading is below all explicit headings, and above bold lines and questions. */
const GUESSED = 6.5;

const HEADING = /^\s{0,3}(#{1,6})\s+(.*\S)/;
/** A heading may also end with marks. */
const CLOSING_MARKS = /(?<!#)#+$/;
const SETEXT = /^\s{0,3}(=+|-{2,})\s*$/;
const RULE = /^\s{0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
const ITEM = /^(\s*)(?:[-*+•–◦▪‣·]|\(?[\d\u0660-\u0669\u0966-\u096f]{1,3}[.)\u066b-]|\(?[a-zA-Z][.)])\s+(.+)$/;
const FENCE = /^\s{0,3}(?:```|~~~)/;
const TABLE_RULE = /^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$/;
const BOLD_LINE = /^\s*(?:\*\*|__)([^*_]{2,100})(?:\*\*|__)\s*:?\s*$/;
/** A line "Q: …" followed by its answer, as people write lists of frequent questions in plain text. */
const QUESTION_LINE =
  /^\s*(?:\*\*)?(?:Q|Question|س|سؤال|السؤال|प्रश्न|सवाल)\s*\d{0,3}\s*[:.)\-–]\s*(?:\*\*)?\s*(.+?)(?:\*\*)?\s*$/;
const ANSWER_LINE = /^\s*(?:\*\*)?(?:A|Answer|Ans|ج|جواب|الجواب|الإجابة|उत्तर|जवाब)\s*\d{0,3}\s*[:.)\-–]\s*(?:\*\*)?\s*/;
/**
 * Matches a line with a label, such as "Phone: 4400". Several lines with labels in a row are a list without bullets.
 */
const LABELLED = /^[^:：]{1,60}[:：]\s*\S/;
const SHORT_ENTRY = /^(?=.*[\d\u0660-\u0669\u0966-\u096f]).{1,80}$/;
const SENTENCE_END = /[.!?؟।،,;:：؛…"”)]$/;
const COMMENT = /^\s*<!--.*-->\s*$/;

class Splitter {
  private readonly document: { id: string; name: string };
  private passages: Passage[] = [];
  private count = 0;
  /** The number of characters since the last flush. */
  private characters = 0;
  private readonly headings: { level: number; text: string; used: boolean }[] = [];
  private paragraph: string[] = [];
  private item: { indent: number; lines: string[] } | null = null;
  /** The items whose sub-items are being read, because the text of an item is context for its sub-items. */
  private parents: { indent: number; text: string }[] = [];
  /** The sentence that introduced the current list or table. */
  private leadIn: string | null = null;
  private columns: string[] | null = null;
  private fenced = false;
  /** True for plain text, which has no heading marks, so a short line on its own counts as a heading. */
  private readonly guessHeadings: boolean;

  constructor(document: DocumentText) {
    this.document = { id: document.id, name: document.name };
    this.guessHeadings = !/^\s{0,3}#{1,6}\s/m.test(document.text.slice(0, MAX_DOCUMENT_CHARACTERS));
  }

  take(line: string): void {
    // A block that does not end is processed in pieces, like a long line.
    this.characters += line.length;
    if (this.characters > MAX_PARAGRAPH_CHARACTERS) this.flush();
    if (FENCE.test(line)) {
      this.fenced = !this.fenced;
      return this.flush();
    }
    const isBlank = line.trim() === '';
    if (this.fenced) return void (isBlank || this.paragraph.push(line.trim()));
    if (isBlank || COMMENT.test(line)) {
      this.columns = null;
      return this.flush();
    }
    const heading = HEADING.exec(line);
    if (heading !== null) return this.enterHeading(heading[1]!.length, heading[2]!.replace(CLOSING_MARKS, ''));
    if (SETEXT.test(line) && this.paragraph.length === 1 && this.item === null && !this.paragraph[0]!.includes('|')) {
      const text = this.paragraph[0]!;
      this.paragraph = [];
      return this.enterHeading(line.trim().startsWith('=') ? 1 : 2, text);
    }
    if (this.columns !== null || line.includes('|')) {
      if (this.takeTableLine(line)) return;
    }
    if (RULE.test(line)) return this.flush();
    const question = QUESTION_LINE.exec(line);
    if (question !== null) return this.enterHeading(8, question[1]!);
    if (this.headings.at(-1)?.level === 8 && this.paragraph.length === 0 && ANSWER_LINE.test(line)) {
      return void this.paragraph.push(line.replace(ANSWER_LINE, '').trim());
    }
    const bold = BOLD_LINE.exec(line);
    // Many people write their headings as bold lines.
    if (bold !== null && this.paragraph.length === 0) return this.enterHeading(7, bold[1]!);
    const item = ITEM.exec(line);
    if (item !== null && !/^\d{1,3}[.]\d/.test(line.trim())) return this.beginItem(item[1]!.length, item[2]!);
    if (this.item !== null && /^\s/.test(line)) return void this.item.lines.push(line.trim());
    if (this.item !== null) this.flush();
    this.paragraph.push(line.trim());
  }

  end(): void {
    this.flush();
    this.closeHeadings(0);
  }

  /** Returns the passages that were completed since the last call. */
  taken(): Passage[] {
    const { passages } = this;
    this.passages = [];
    return passages;
  }

  private enterHeading(level: number, text: string): void {
    this.flush();
    this.leadIn = null;
    this.parents = [];
    this.columns = null;
    this.closeHeadings(level);
    this.headings.push({
      level,
      used: false,
      text: plain(text)
        .replace(/[:：]$/, '')
        .slice(0, MAX_HEADING_CHARACTERS),
    });
  }

  private closeHeadings(level: number): void {
    while (this.headings.length > 0 && this.headings.at(-1)!.level >= level) {
      const closed = this.headings.pop()!;
      // A guessed heading with nothing below it was an ordinary sentence.
      if (closed.level === GUESSED && !closed.used) this.add(closed.text, []);
    }
  }

  private beginItem(indent: number, text: string): void {
    const before = this.item;
    if (before === null) this.flush();
    else {
      const flushed = this.flushItem();
      if (indent > before.indent) this.parents.push({ indent: before.indent, text: flushed });
    }
    while (this.parents.length > 0 && this.parents.at(-1)!.indent >= indent) this.parents.pop();
    if (this.parents.length > MAX_LIST_DEPTH) this.parents.shift();
    this.item = { indent, lines: [text] };
  }

  /** Returns true if the line belongs to a table. */
  private takeTableLine(line: string): boolean {
    if (TABLE_RULE.test(line) && line.includes('-')) {
      const header = this.paragraph.at(-1);
      if (this.columns === null && header !== undefined && header.includes('|')) {
        this.paragraph.pop();
        this.flush();
        this.columns = cellsOf(header);
        return true;
      }
      return this.columns !== null;
    }
    if (this.columns === null || !line.includes('|')) {
      this.columns = null;
      return false;
    }
    const columns = this.columns;
    const cells = cellsOf(line);
    const written = cells.flatMap((cell, at) => {
      if (cell === '') return [];
      const column = columns[at] ?? '';
      return [column === '' || column === cell ? cell : `${column}: ${cell}`];
    });
    this.add(written.join('; '), this.leadIn === null ? [] : [this.leadIn]);
    return true;
  }

  private flush(): void {
    this.characters = 0;
    this.flushItem();
    if (this.paragraph.length === 0) return;
    if (this.guessHeadings && this.paragraph.length === 1 && looksLikeHeading(this.paragraph[0]!)) {
      const text = this.paragraph[0]!;
      this.paragraph = [];
      return this.enterHeading(GUESSED, text);
    }
    if (this.guessHeadings && this.paragraph.length > 1 && headsTheRest(this.paragraph)) {
      const text = this.paragraph.shift()!;
      const rest = this.paragraph;
      this.paragraph = [];
      this.enterHeading(GUESSED, text);
      this.paragraph = rest;
    }
    const text = this.paragraph.map(plain).join(' ');
    // Consecutive lines such as "Label: value" are a list without bullets.
    const list =
      this.paragraph.length > 1 &&
      [LABELLED, SHORT_ENTRY].some((entry) => this.paragraph.every((line) => entry.test(line)));
    this.leadIn = /[:：]$/.test(text) && text.length <= MAX_HEADING_CHARACTERS ? text.slice(0, -1) : null;
    // A sentence that only introduces a list is not an answer.
    if (this.leadIn === null) for (const part of list ? this.paragraph.map(plain) : [text]) this.add(part, []);
    this.parents = [];
    this.paragraph = [];
  }

  private flushItem(): string {
    if (this.item === null) return '';
    const text = this.item.lines.map(plain).join(' ');
    const context = [...(this.leadIn === null ? [] : [this.leadIn]), ...this.parents.map((parent) => parent.text)];
    this.add(text, context);
    this.item = null;
    return text.replace(/[:：]$/, '').slice(0, MAX_HEADING_CHARACTERS);
  }

  private add(text: string, context: readonly string[]): void {
    if (text === '' || this.count >= MAX_PASSAGES_PER_DOCUMENT) return;
    const section = pathOf(this.headings.map((heading) => heading.text));
    const heading = pathOf([section ?? '', ...context]);
    for (const above of this.headings) above.used = true;
    for (const part of cutLong(text)) {
      this.count++;
      this.passages.push({
        document_id: this.document.id,
        document: this.document.name,
        section: section === heading ? heading : section,
        heading,
        text: part,
      });
    }
  }
}

const pathOf = (parts: readonly string[]): string | null =>
  parts.filter((part) => part !== '').join(HEADING_SEPARATOR) || null;

const looksLikeHeading = (line: string): boolean =>
  line.length <= 60 &&
  line.split(/\s+/).length <= 8 &&
  !SENTENCE_END.test(line.replace(/[:：]$/, '')) &&
  !/\d/.test(line) &&
  !LABELLED.test(line);

const headsTheRest = ([first, ...rest]: readonly string[]): boolean =>
  /[:：]$/.test(first!) ||
  (looksLikeHeading(first!) && rest.every((line) => LABELLED.test(line) || SHORT_ENTRY.test(line)));

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => plain(cell.replaceAll('\\|', '|')));

/** Removes the Markdown syntax from a text. */
const plain = (text: string): string =>
  text
    .replace(/!\[([^\]]{0,300})\]\([^)\s]{0,2000}\)/g, '$1')
    .replace(/\[([^\]]{1,300})\]\(([^)\s]{1,2000})\)/g, '$1')
    .replace(/(\*\*|__)(?=\S)([^\n]{0,300}?\S)\1/g, '$2')
    .replace(/(?<![\w*])[*_](?=\S)([^*_\n]{1,500}?)[*_](?![\w*])/g, '$1')
    .replace(/`([^`]{1,500})`/g, '$1')
    .replace(/<br\s*\/?>/gi, ' ')
    .replace(/^\s*>\s?/, '')
    .replace(/\s+/g, ' ')
    .trim();

const LONG_SENTENCE = new RegExp(`.{1,${MAX_PASSAGE_CHARACTERS}}(?:\\s|$)|.{1,${MAX_PASSAGE_CHARACTERS}}`, 'gsu');

const cutLong = (text: string): string[] => {
  if (text.length <= MAX_PASSAGE_CHARACTERS) return [text];
  const parts: string[] = [];
  let part = '';
  for (const sentence of text.split(/(?<=[.!?؟।])\s+|(?<=[。！？])/)) {
    for (const piece of sentence.match(LONG_SENTENCE) ?? []) {
      if (part !== '' && part.length + piece.length > MAX_PASSAGE_CHARACTERS) {
        parts.push(part.trim());
        part = '';
      }
      part += `${piece} `;
    }
  }
  if (part.trim() !== '') parts.push(part.trim());
  return parts;
};
