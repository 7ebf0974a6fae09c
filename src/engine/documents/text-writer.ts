import { oneLine } from '../../kernel/one-line.ts';
import { DocumentFault } from './document-fault.ts';

/** The maximum size of the text of one document, in bytes of UTF-8 (contract/dashboard/agents.ts). */
const MAX_TEXT_BYTES = 1024 * 1024;
const MAX_LIST_DEPTH = 12;

/**
 * Collects the text of a file as Markdown, because `passagesOf` uses headings, lists and tables to keep a passage with
 * its heading. The writer stops at the size of the largest document, so the text of no file grows without end.
 */
export class TextWriter {
  private readonly blocks: string[] = [];
  private bytes = 0;
  private lastIsItem = false;

  heading(level: number, text: string): void {
    const line = oneLine(text);
    if (line !== '') this.add(`${'#'.repeat(Math.min(Math.max(level, 1), 6))} ${line}`);
  }

  paragraph(text: string): void {
    const lines = text.split('\n').map(oneLine);
    this.add(lines.filter((line) => line !== '').join('\n'));
  }

  /** Adds a term in a list of definitions, or the summary of a collapsible part. */
  label(text: string): void {
    const line = oneLine(text);
    // A line above this length does not count as a label.
    if (line !== '') this.add(line.length <= 100 ? `**${line}**` : line);
  }

  item(depth: number, text: string): void {
    const line = oneLine(text);
    if (line !== '') this.add(`${'  '.repeat(Math.min(depth, MAX_LIST_DEPTH))}- ${line}`, true);
  }

  code(text: string): void {
    if (text.trim() !== '') this.add(`\`\`\`\n${text.replaceAll('```', "'''").replace(/^\n+/, '').trimEnd()}\n\`\`\``);
  }

  table(rows: readonly (readonly string[])[]): void {
    const filled = rows.map((row) => row.map((cell) => oneLine(cell))).filter((row) => row.some((cell) => cell !== ''));
    // A table with one column or one row is only used for layout.
    if (filled.length < 2 || filled.every((row) => row.length < 2)) {
      for (const row of filled) this.paragraph(row.filter((cell) => cell !== '').join('\n'));
      return;
    }
    const [header, ...body] = filled;
    this.add([rowOf(header!), `|${' --- |'.repeat(header!.length)}`, ...body.map(rowOf)].join('\n'));
  }

  text(): string {
    return this.blocks.join('').trim();
  }

  private add(block: string, isItem = false): void {
    if (block === '') return;
    const before = this.blocks.length === 0 ? '' : isItem && this.lastIsItem ? '\n' : '\n\n';
    this.lastIsItem = isItem;
    this.bytes += Buffer.byteLength(block) + before.length;
    if (this.bytes > MAX_TEXT_BYTES) throw tooLong();
    this.blocks.push(before + block);
  }
}

const rowOf = (row: readonly string[]): string => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

export const tooLong = (): DocumentFault =>
  new DocumentFault('too_large', 'The file has more than 1 MiB of text. Split it into several files.');
