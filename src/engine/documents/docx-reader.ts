import { tooComplex } from './document-fault.ts';
import { TextWriter } from './text-writer.ts';

/**
 * Handles the events of the XML in a Word file (ECMA-376, WordprocessingML), and produces Markdown and the levels of
 * its styles.
 */
export type XmlHandler = {
  onopentag(name: string, attributes: Record<string, string>): void;
  ontext(text: string): void;
  onclosetag(name: string): void;
};

const MAX_DEPTH = 2_000;
/** A style may inherit from a style that inherits from a third style. */
const MAX_STYLES = 20_000;
const MAX_BASED_ON = 20;
/** `outlineLvl` 9 is body text. */
const BODY = 9;

const value = (attributes: Record<string, string>): string => attributes['w:val'] ?? '';

export class StyleReader {
  private readonly styles = new Map<string, { level: number | null; base: string | null }>();
  private style: { level: number | null; base: string | null } | null = null;

  readonly handler: XmlHandler = {
    onopentag: (name, attributes) => {
      if (name === 'w:style' && this.styles.size < MAX_STYLES) {
        this.style = { level: null, base: null };
        this.styles.set(attributes['w:styleId'] ?? '', this.style);
      }
      if (this.style === null) return;
      if (name === 'w:outlineLvl') this.style.level = levelOf(value(attributes));
      else if (name === 'w:basedOn') this.style.base = value(attributes);
      else if (name === 'w:name') this.style.level ??= levelNamed(value(attributes));
    },
    ontext: () => {},
    onclosetag: (name) => {
      if (name === 'w:style') this.style = null;
    },
  };

  levelOf(id: string): number | null {
    let found = this.styles.get(id);
    for (let depth = 0; found && depth < MAX_BASED_ON; depth++) {
      if (found.level !== null) return found.level > 6 ? null : found.level;
      found = found.base === null ? undefined : this.styles.get(found.base);
    }
    return null;
  }
}

const levelOf = (outline: string): number => {
  const level = Number.parseInt(outline, 10);
  return level >= 0 && level < BODY ? level + 1 : BODY;
};

const levelNamed = (name: string): number | null => {
  if (/^title$/i.test(name)) return 1;
  const level = /^heading ([1-6])$/i.exec(name)?.[1];
  return level === undefined ? null : Number(level);
};

type Paragraph = { text: string; level: number | null; item: number | null };

/**
 * Elements that are not part of the text, such as deleted or moved text, and the second form of a drawing for older
 * programs.
 */
const UNSEEN = new Set(['w:del', 'w:moveFrom', 'mc:Fallback']);

export class DocxReader {
  private readonly writer = new TextWriter();
  private readonly levelOfStyle: (style: string) => number | null;
  /** A text box is a paragraph inside a paragraph. */
  private readonly paragraphs: Paragraph[] = [];
  private depth = 0;
  private unseen: number | null = null;
  private inText = false;
  private tables = 0;
  private rows: string[][] = [];
  private cell = '';

  constructor(levelOfStyle: (style: string) => number | null) {
    this.levelOfStyle = levelOfStyle;
  }

  readonly handler: XmlHandler = {
    onopentag: (name, attributes) => this.open(name, attributes),
    ontext: (text) => {
      const paragraph = this.paragraphs.at(-1);
      if (this.inText && paragraph && this.unseen === null) paragraph.text += text;
    },
    onclosetag: (name) => this.close(name),
  };

  text(): string {
    while (this.paragraphs.length > 0) this.endParagraph();
    return this.writer.text();
  }

  private open(name: string, attributes: Record<string, string>): void {
    if (++this.depth > MAX_DEPTH) throw tooComplex();
    if (this.unseen === null && UNSEEN.has(name)) this.unseen = this.depth;
    const paragraph = this.paragraphs.at(-1);
    if (name === 'w:p') this.paragraphs.push({ text: '', level: null, item: null });
    else if (name === 'w:t') this.inText = true;
    else if (name === 'w:tbl' && this.tables++ === 0) this.rows = [];
    else if (name === 'w:tr' && this.tables === 1) this.rows.push([]);
    else if (name === 'w:tc' && this.tables === 1) this.cell = '';
    if (!paragraph) return;
    if (name === 'w:pStyle') paragraph.level ??= this.levelOfStyle(value(attributes));
    else if (name === 'w:outlineLvl')
      paragraph.level = levelOf(value(attributes)) > 6 ? null : levelOf(value(attributes));
    else if (name === 'w:numPr') paragraph.item ??= 0;
    else if (name === 'w:ilvl') paragraph.item = Number.parseInt(value(attributes), 10) || 0;
    else if (name === 'w:tab') paragraph.text += ' ';
    else if (name === 'w:br' || name === 'w:cr') paragraph.text += '\n';
  }

  private close(name: string): void {
    if (name === 'w:t') this.inText = false;
    else if (name === 'w:p') this.endParagraph();
    else if (name === 'w:tc' && this.tables === 1) this.rows.at(-1)?.push(this.cell);
    else if (name === 'w:tbl' && --this.tables === 0) this.writer.table(this.rows);
    if (this.unseen === this.depth) this.unseen = null;
    this.depth--;
  }

  private endParagraph(): void {
    const paragraph = this.paragraphs.pop();
    if (!paragraph) return;
    const { text, level, item } = paragraph;
    if (this.tables > 0) this.cell += ` ${text}`;
    else if (level !== null) this.writer.heading(level, text);
    else if (item !== null) this.writer.item(item, text);
    else this.writer.paragraph(text);
  }
}
