import { Parser } from 'htmlparser2';
import { oneLine } from '../../kernel/one-line.ts';
import { tooComplex } from './document-fault.ts';
import { TextWriter } from './text-writer.ts';

/**
 * Converts HTML to Markdown and extracts the data that a crawler needs, which is the title, the canonical address and
 * the links. The parser reports tags one after another and builds no tree, so time and memory grow only with the size
 * of the page. The result excludes navigation and invisible parts. If a page marks its main part, the result contains
 * only this part.
 */
export type HtmlPage = { title: string; text: string; canonical: string | null; links: string[] };

const UNSEEN = new Set(
  'script style noscript template svg math iframe object canvas nav footer aside button select textarea dialog'.split(
    ' ',
  ),
);
const UNSEEN_ROLES = new Set(['navigation', 'banner', 'contentinfo', 'search', 'complementary', 'menu']);
const BLOCKS = new Set(
  (
    'address article blockquote body center dd details dialog div dl dt fieldset figcaption figure form h1 h2 h3 h4 h5 h6 ' +
    'header hr li main ol p pre section summary table tbody td tfoot th thead tr ul caption'
  ).split(' '),
);

const MAX_DEPTH = 2_000;
const MAX_LINKS = 2_000;
const MAX_LINK_CHARACTERS = 2_048;
const MAX_TITLE_CHARACTERS = 1_000;
/** A main part with fewer characters is a container that a script fills later, so the whole page is used instead. */
const MIN_MAIN_CHARACTERS = 80;

export function readHtml(html: string): HtmlPage {
  const reader = new HtmlReader();
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open(name, attributes),
      ontext: (text) => reader.say(text),
      onclosetag: (name) => reader.close(name),
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return reader.page();
}

class HtmlReader {
  private readonly whole = new TextWriter();
  private readonly main = new TextWriter();
  private depth = 0;
  /** The depth at which the current invisible part began. Null: the current part is visible. */
  private unseen: number | null = null;
  private mainDepth: number | null = null;
  private inline = '';
  private title: string | null = null;
  private inTitle = false;
  private firstHeading = '';
  private readonly lists: number[] = [];
  private inPre = 0;
  private tables = 0;
  private rows: string[][] = [];
  /** The number of heading cells in each row of the current table. */
  private headed: number[] = [];
  private base: string | null = null;
  private canonical: string | null = null;
  private readonly links = new Set<string>();

  open(name: string, attributes: Record<string, string>): void {
    if (++this.depth > MAX_DEPTH) throw tooComplex();
    this.note(name, attributes);
    if (this.unseen !== null) return;
    if (UNSEEN.has(name) || isUnseen(attributes)) {
      this.unseen = this.depth;
      return;
    }
    if (name === 'title' && this.title === null) this.inTitle = true;
    else if (name === 'br') this.inline += '\n';
    else if (!BLOCKS.has(name)) return;
    else this.begin(name, attributes);
  }

  say(text: string): void {
    if (this.inTitle) this.title = ((this.title ?? '') + text).slice(0, MAX_TITLE_CHARACTERS);
    else if (this.unseen === null) this.inline += this.inPre > 0 ? text : text.replaceAll(/\s+/g, ' ');
  }

  close(name: string): void {
    if (name === 'title') this.inTitle = false;
    if (this.unseen === null && BLOCKS.has(name)) this.end(name);
    if (this.unseen === this.depth) this.unseen = null;
    if (this.mainDepth === this.depth) this.mainDepth = null;
    this.depth--;
  }

  page(): HtmlPage {
    this.flush();
    const main = this.main.text();
    return {
      title: oneLine(this.title ?? '') || this.firstHeading,
      text: main.length >= MIN_MAIN_CHARACTERS ? main : this.whole.text(),
      canonical: this.canonical === null ? null : this.absolute(this.canonical),
      links: [...this.links].map((link) => this.absolute(link)).filter((link) => link !== null),
    };
  }

  /** A relative address is resolved against the address of the page, or against its `base`. */
  private absolute(link: string): string | null {
    if (this.base === null) return link;
    return URL.parse(link, this.base)?.href ?? (URL.canParse(this.base) ? null : link);
  }

  private note(name: string, attributes: Record<string, string>): void {
    const href = attributes['href'];
    if (href === undefined || href.length > MAX_LINK_CHARACTERS) return;
    if (name === 'base') this.base ??= href;
    else if (name === 'link' && /(?:^|\s)canonical(?:\s|$)/i.test(attributes['rel'] ?? '')) this.canonical ??= href;
    else if ((name === 'a' || name === 'area') && !href.startsWith('#') && this.links.size < MAX_LINKS)
      this.links.add(href);
  }

  private begin(name: string, attributes: Record<string, string>): void {
    // In a cell, a block becomes a space, because a row is one line.
    if (this.tables > 0 && !['table', 'tr', 'td', 'th'].includes(name)) {
      this.inline += ' ';
      return;
    }
    if (this.tables === 0) this.flush();
    if ((name === 'main' || name === 'article' || attributes['role'] === 'main') && this.mainDepth === null)
      this.mainDepth = this.depth;
    if (name === 'ul' || name === 'ol') this.lists.push(this.depth);
    else if (name === 'pre') this.inPre++;
    else if (name === 'table') {
      if (this.tables++ === 0) [this.rows, this.headed] = [[], []];
    } else if (this.tables === 1 && name === 'tr') this.beginRow();
    else if (this.tables === 1 && (name === 'td' || name === 'th')) {
      this.inline = '';
      if (this.rows.length === 0) this.beginRow();
      if (name === 'th') this.headed[this.rows.length - 1]!++;
    }
  }

  private end(name: string): void {
    if (this.tables > 0) return this.endInTable(name);
    const text = this.take();
    if (/^h[1-6]$/.test(name)) {
      if (this.firstHeading === '') this.firstHeading = oneLine(text).slice(0, MAX_TITLE_CHARACTERS);
      this.write((to) => to.heading(Number(name[1]), text));
    } else if (name === 'pre') {
      this.inPre = Math.max(0, this.inPre - 1);
      this.write((to) => to.code(text));
    } else if (name === 'li') this.write((to) => to.item(Math.max(0, this.lists.length - 1), text));
    else if (name === 'dt' || name === 'summary') this.write((to) => to.label(text));
    else if (text.trim() !== '') this.put(text);
    if (name === 'ul' || name === 'ol') this.lists.pop();
  }

  private beginRow(): void {
    this.rows.push([]);
    this.headed.push(0);
  }

  private endInTable(name: string): void {
    if (name === 'table' && --this.tables === 0) {
      const { rows, headed } = this;
      [this.rows, this.headed] = [[], []];
      const pairs = rows.length > 0 && rows.every((row, at) => row.length === 2 && headed[at] === 1);
      this.write((to) => {
        // Each row has its heading beside the value, so there is no row of headings.
        if (pairs) for (const [label, value] of rows) to.item(0, `${label}: ${value}`);
        else to.table(rows);
      });
    } else if (this.tables === 1 && (name === 'td' || name === 'th')) {
      this.rows.at(-1)?.push(this.take());
    } else this.inline += ' ';
  }

  private take(): string {
    const text = this.inline;
    this.inline = '';
    return text;
  }

  private flush(): void {
    const text = this.take();
    if (text.trim() !== '') this.put(text);
  }

  /** Text directly in a list item belongs to the item. */
  private put(text: string): void {
    if (this.inPre > 0) this.write((to) => to.code(text));
    else if (this.lists.length > 0) this.write((to) => to.item(this.lists.length - 1, text));
    else this.write((to) => to.paragraph(text));
  }

  private write(put: (to: TextWriter) => void): void {
    put(this.whole);
    if (this.mainDepth !== null) put(this.main);
  }
}

const isUnseen = (attributes: Record<string, string>): boolean =>
  attributes['hidden'] !== undefined ||
  attributes['aria-hidden'] === 'true' ||
  UNSEEN_ROLES.has(attributes['role'] ?? '') ||
  /display\s*:\s*none/i.test(attributes['style'] ?? '');
