import { crc32, deflateRawSync } from 'node:zlib';

/** Creates Word files for tests, which are a ZIP of the XML that Word writes. */
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

const styles = `<w:styles ${W}><w:style w:styleId="Kop1"><w:name w:val="heading 1"/></w:style>
<w:style w:styleId="Mine"><w:name w:val="mine"/><w:basedOn w:val="Kop2"/></w:style>
<w:style w:styleId="Kop2"><w:name w:val="x"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>`;

const runOf = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const styled = (style: string, text: string): string =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/></w:pPr>${runOf(text)}</w:p>`;
const item = (text: string): string =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>${runOf(text)}</w:p>`;
const row = (...cells: string[]): string =>
  `<w:tr>${cells.map((cell) => `<w:tc><w:p>${runOf(cell)}</w:p></w:tc>`).join('')}</w:tr>`;

export const docx = (): Promise<Buffer> =>
  zip({
    '[Content_Types].xml': '<Types/>',
    'word/styles.xml': styles,
    'word/document.xml': `<?xml version="1.0"?><w:document ${W}><w:body>${styled('Kop1', 'Shop guide')}
      ${styled('Mine', 'Delivery')}<w:p>${runOf('Delivery ')}<w:del>${runOf('was free')}</w:del>${runOf('costs 15 riyals.')}</w:p>
      ${item('Free above 200 riyals')}${item('التوصيل مجاني')}
      <w:tbl>${row('Day', 'Hours')}${row('Friday', 'closed')}</w:tbl></w:body></w:document>`,
  });

/** Creates a ZIP of the given files according to PKWARE's APPNOTE. */
export async function zip(files: Record<string, string>): Promise<Buffer> {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const data = Buffer.from(content);
    const packed = deflateRawSync(data);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(data), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(data.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), fields, place, Buffer.from(name)]));
    locals.push(local);
    at += local.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(Buffer.concat(entries).length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...locals, ...entries, Buffer.from('PK\x05\x06'), end]);
}

/**
 * Creates a PDF with a page for each content. The created PDF has no cross-reference table, which every reader
 * rebuilds.
 */
export function pdf(pages: readonly string[], { encrypted = false, count = pages.length } = {}): Buffer {
  const kids = pages.map((_, at) => `${10 + at * 2} 0 R`).join(' ');
  const objects = [
    '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
    `2 0 obj<</Type/Pages/Count ${count}/Kids[${kids}]>>endobj`,
    '3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj',
    ...pages.map(
      (content, at) =>
        `${10 + at * 2} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R>>>>` +
        `/Contents ${11 + at * 2} 0 R>>endobj\n${11 + at * 2} 0 obj<</Length ${content.length}>>stream\n${content}\nendstream\nendobj`,
    ),
  ];
  const key = 'a'.repeat(64);
  if (encrypted) objects.push(`5 0 obj<</Filter/Standard/V 1/R 2/O<${key}>/U<${key}>/P -4>>endobj`);
  const trailer = `trailer<</Root 1 0 R${encrypted ? `/Encrypt 5 0 R/ID[<${key}><${key}>]` : ''}>>`;
  return Buffer.from(`%PDF-1.7\n${objects.join('\n')}\n${trailer}\n%%EOF`, 'latin1');
}

/** Returns the content of a page with the given lines. */
export const pdfPage = (...lines: string[]): string =>
  `BT /F 12 Tf 50 700 Td ${lines.map((line) => `(${line}) Tj 0 -14 Td`).join(' ')} ET`;
