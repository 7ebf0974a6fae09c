import { StringDecoder } from 'node:string_decoder';
import { Parser } from 'htmlparser2';
import type { Entry, ZipFile } from 'yauzl';
import { DocumentFault } from './document-fault.ts';
import { DocxReader, StyleReader, type XmlHandler } from './docx-reader.ts';

/**
 * A Word file is a ZIP archive of XML. The reader inflates the two relevant parts of the file piece by piece into the
 * parser, and builds no tree. A file that inflates without end stops at a limit of bytes, and deep nesting costs
 * nothing.
 */
const MAX_ENTRIES = 10_000;
const MAX_INFLATED_BYTES = 32 * 1024 * 1024;
const DOCUMENT = 'word/document.xml';
const STYLES = 'word/styles.xml';

/** Returns null if the ZIP archive is not a Word file. */
export async function readDocx(bytes: Uint8Array): Promise<{ title: string; text: string } | null> {
  try {
    const zip = await open(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    const entries = await entriesOf(zip);
    const document = entries.get(DOCUMENT);
    if (!document) return null;
    const styles = new StyleReader();
    const listed = entries.get(STYLES);
    if (listed) await parse(zip, listed, styles.handler);
    const reader = new DocxReader((style) => styles.levelOf(style));
    await parse(zip, document, reader.handler);
    return { title: '', text: reader.text() };
  } catch (error) {
    if (error instanceof DocumentFault) throw error;
    throw new DocumentFault('broken', 'The Word file is damaged and cannot be read. Save it again.');
  }
}

async function open(bytes: Buffer): Promise<ZipFile> {
  const { fromBufferPromise } = await import('yauzl');
  return fromBufferPromise(bytes, { lazyEntries: true, autoClose: false });
}

async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MAX_ENTRIES)
    throw new DocumentFault('too_large', `The file has more than ${MAX_ENTRIES} parts.`);
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) throw new DocumentFault('encrypted', 'The file is protected by a password.');
    if (!entries.has(entry.fileName)) entries.set(entry.fileName, entry);
  }
  return entries;
}

async function parse(zip: ZipFile, entry: Entry, handler: XmlHandler): Promise<void> {
  const parser = new Parser(handler, { xmlMode: true });
  const decoder = new StringDecoder('utf8');
  let inflated = 0;
  // An early end of the loop ends the stream.
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    inflated += chunk.length;
    if (inflated > MAX_INFLATED_BYTES)
      throw new DocumentFault('too_large', 'The file grows to more than 32 MiB when it is unpacked.');
    parser.write(decoder.write(chunk));
  }
  parser.end(decoder.end());
}
