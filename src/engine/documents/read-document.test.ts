import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { cpuMsUntil } from '../../../test/cpu-time.ts';
import { docx, pdf, pdfPage, zip } from '../../../test/office-files.ts';
import { readFileAsText } from './read-document.ts';

const FILES = path.join(import.meta.dirname, '../../../test/files');
const file = (name: string): Buffer => readFileSync(path.join(FILES, name));
const text = async (content: string | Buffer, name = ''): Promise<string> =>
  (await readFileAsText(Buffer.from(content as string), { name })).text;
const fault = (content: string | Buffer): Promise<string> =>
  readFileAsText(Buffer.from(content as string)).then(
    ({ kind }) => `read as ${kind}`,
    (error: { code: string }) => error.code,
  );

describe('a PDF', () => {
  test('a PDF keeps headings and the order of Latin text', async () => {
    expect(await text(file('guide-en.pdf'))).toMatch(
      /^# Shop guide\n\n## Delivery\n\nDelivery costs 15 riyals; it is free[^#]+arrives at your door\.\n\n## Returns\n\nYou can return/,
    );
  });

  test('Arabic text of a PDF is in reading order and in plain letters, with its Latin words', async () => {
    const read = await text(file('guide-ar.pdf'));
    expect(read).toContain(
      '# دليل المتجر\n\n## التوصيل\n\nتكلفة التوصيل 15 ريالاً، وهو مجاني للطلبات التي تزيد عن 200 ريال.',
    );
    expect(read).toMatch(/السائق WhatsApp قبل الوصول إلى بابك\./);
    expect(read).toContain('خلال 14 يومًا.');
  });

  test('a PDF whose letters cannot be read (as in some Hindi files) is refused, because vowels would be lost', async () => {
    expect(await fault(file('guide-hi.pdf'))).toBe('letters_missing');
  });

  test('the error says whether the PDF is scanned, encrypted or broken', async () => {
    expect(await fault(pdf(['0 0 m 9 9 l S', '']))).toBe('scanned');
    expect(await fault(pdf([pdfPage('Words')], { encrypted: true }))).toBe('encrypted');
    expect(await fault(file('guide-en.pdf').subarray(0, 900))).toBe('broken');
  });

  test('a PDF that claims a million pages is read up to its real number of pages, and at most 2,000', async () => {
    expect(await text(pdf([pdfPage('Words')], { count: 1_000_000 }))).toBe('Words');
    expect(await fault(pdf(Array.from({ length: 2_001 }, () => '')))).toBe('too_many_pages');
  });

  test('a PDF loses the lines with which every page begins or ends', async () => {
    const pages = ['Tea', 'Coffee', 'Milk', 'Bread'].map((what, at) =>
      pdfPage('Price list 2026', `${what} is sold here.`, 'It is fresh.', 'It is good.', `Page ${at + 1} of 4`),
    );
    const read = await text(pdf(pages));
    expect(read).toContain('Coffee is sold here.');
    expect(read).not.toMatch(/Price list|Page/);
  });
});

describe('a Word file', () => {
  test('a Word file keeps headings, lists and tables, and leaves out deleted text', async () => {
    expect(await text(await docx())).toBe(
      [
        '# Shop guide',
        '## Delivery',
        'Delivery costs 15 riyals.',
        '- Free above 200 riyals\n- التوصيل مجاني',
        '| Day | Hours |\n| --- | --- |\n| Friday | closed |',
      ].join('\n\n'),
    );
  });

  test('a Word file that inflates without end is stopped', async () => {
    const bomb = await zip({ 'word/document.xml': `<w:document>${' '.repeat(40 * 1024 * 1024)}</w:document>` });
    expect(bomb.length).toBeLessThan(200_000);
    expect(await fault(bomb)).toBe('too_large');
  });

  test('a Word file with a million levels of nesting is stopped', async () => {
    expect(await fault(await zip({ 'word/document.xml': '<w:p>'.repeat(1_000_000) }))).toBe('too_complex');
  });

  test('the error says whether the Word file is cut off, encrypted or another ZIP', async () => {
    expect(await fault((await docx()).subarray(0, 500))).toBe('broken');
    const encrypted = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(512),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]);
    expect(await fault(encrypted)).toBe('encrypted');
    expect(await fault(Buffer.from('d0cf11e0a1b11ae1', 'hex'))).toBe('unsupported');
    expect(await fault(await zip({ 'xl/workbook.xml': '<x/>' }))).toBe('unsupported');
  });
});

describe('HTML', () => {
  const page = (body: string): string => `<!doctype html><title>Shop &amp; more</title><body>${body}`;

  test('HTML keeps the visible text as Markdown', async () => {
    const read = await readFileAsText(
      Buffer.from(
        page(`<nav><a href="/a">Home</a></nav><script>no()</script><main><h1>Help</h1><p>Open  <b>daily</b>
          from 9&nbsp;am.<p>Closed on Friday.<ul><li>Tea<ul><li>Green</ul><li>Coffee</ul>
          <table><tr><th>Day<th>Hours<tr><td>Sunday<td>9 | 17</table><dl><dt>Phone<dd>4400</dl>
          <p hidden>secret</p></main><footer>Imprint</footer>`),
      ),
    );
    expect(read.kind).toBe('html');
    expect(read.title).toBe('Shop & more');
    expect(read.links).toEqual(['/a']);
    expect(read.text).toBe(
      '# Help\n\nOpen daily from 9 am.\n\nClosed on Friday.\n\n- Tea\n  - Green\n- Coffee\n\n' +
        '| Day | Hours |\n| --- | --- |\n| Sunday | 9 \\| 17 |\n\n**Phone**\n\n4400',
    );
  });

  test('HTML in another encoding is decoded by its own declaration', async () => {
    const bytes = Buffer.from([...Buffer.from('<html><meta charset=windows-1256><p>'), 0xe3, 0xd1, 0xcd, 0xc8, 0xc7]);
    expect(await text(bytes)).toBe('مرحبا');
  });

  test('HTML with hostile depth, entities and size ends in bounded time', async () => {
    expect(await fault(page('<div>'.repeat(100_000)))).toBe('too_complex');
    expect(await text(page(`<p>a${'&amp;lt;'.repeat(50_000)}</p>`))).toContain('&lt;');
    expect(await fault(page(`<p>${'word '.repeat(400_000)}</p>`))).toBe('too_large');
    const blanks = page(`<pre>a${' '.repeat(100_000)}b</pre>`);
    expect(await cpuMsUntil(() => text(blanks))).toBeLessThan(1_000);
  });
});

describe('text', () => {
  test('text becomes a table if every line has the same number of cells', async () => {
    expect(await text('\ufeffcity;price\nDoha;15\n"Al; Khor";20\n')).toBe(
      '| city | price |\n| --- | --- |\n| Doha | 15 |\n| Al; Khor | 20 |',
    );
    expect(await text('Hello, world.\nThis, too.\nAnd, so on.')).toContain('Hello, world.\nThis');
  });

  test('the type of text is detected from its content and not from its name', async () => {
    expect((await readFileAsText(file('guide-en.pdf'), { name: 'notes.txt' })).kind).toBe('pdf');
    expect((await readFileAsText(Buffer.from('# Help\n\nWords.'), { name: 'x.pdf' })).kind).toBe('text');
  });

  test('a file that is not text is refused with a sentence', async () => {
    expect(await fault(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0]))).toBe('unsupported');
    expect(await fault(Buffer.from([0xe3, 0xd1, 0xcd, 0xff]))).toBe('encoding');
    expect(await fault(' \n ')).toBe('empty');
  });
});
