import { decodeText } from './decode-text.ts';
import { DocumentFault } from './document-fault.ts';
import { readDocx } from './read-docx.ts';
import { readHtml } from './read-html.ts';
import { readPdf } from './read-pdf.ts';
import { delimiterOf, readTable } from './read-table.ts';
import { tooLong } from './text-writer.ts';

/**
 * Converts a file to text from which an agent can answer, which is Markdown with the headings, lists and tables of the
 * file. The type is detected from the bytes. The name and the content type are only hints for text that could be of
 * several types. The reader runs in a thread that can be stopped (thread.ts), because files come from strangers.
 */
export type FileHints = { name?: string; contentType?: string };
export type ReadFile = {
  kind: 'pdf' | 'docx' | 'html' | 'csv' | 'text' | 'xml';
  /** The title of the file. The value is empty if the file has no title. */
  title: string;
  text: string;
  /** The canonical address of the page, as the page contains it. Only HTML has a base address. */
  canonical?: string | null;
  links?: string[];
};

const MAX_TEXT_BYTES = 1024 * 1024;
const HEAD = 2_048;

export async function readFileAsText(bytes: Uint8Array, hints: FileHints = {}): Promise<ReadFile> {
  const read = await readAny(bytes, hints);
  if (read.kind === 'xml') return read;
  // A page without text may still contain links.
  if (read.text.trim() === '' && read.links === undefined) throw new DocumentFault('empty', 'The file has no text.');
  if (Buffer.byteLength(read.text) > MAX_TEXT_BYTES) throw tooLong();
  return read;
}

async function readAny(bytes: Uint8Array, hints: FileHints): Promise<ReadFile> {
  const head = Buffer.from(bytes.subarray(0, HEAD)).toString('latin1');
  if (head.slice(0, 1_024).includes('%PDF-')) return { kind: 'pdf', title: '', text: await readPdf(bytes) };
  if (head.startsWith('PK\x03\x04')) {
    const docx = await readDocx(bytes);
    if (docx) return { kind: 'docx', ...docx };
    throw unsupported('This ZIP file is not a Word document (.docx).');
  }
  if (head.startsWith('\xd0\xcf\x11\xe0')) throw oldOffice(bytes);
  if (isBinary(head)) throw unsupported('The file is not text.');
  const text = decodeText(bytes, hints.contentType);
  if (isHtml(text)) return { kind: 'html', ...readHtml(text) };
  if (/^\s*<\?xml|^\s*<(?:urlset|sitemapindex)[\s>]/.test(text.slice(0, HEAD))) return { kind: 'xml', title: '', text };
  const delimiter = delimiterOf(text, /\.[ct]sv$/i.test(hints.name ?? ''));
  if (delimiter !== null) return { kind: 'csv', title: '', text: await readTable(text, delimiter) };
  return { kind: 'text', title: '', text };
}

/**
 * New Office files that are encrypted use the old container format too. Encrypted files contain the name of this stream
 * in UTF-16.
 */
function oldOffice(bytes: Uint8Array): DocumentFault {
  const isEncrypted = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(
    Buffer.from('EncryptedPackage', 'utf16le'),
  );
  return isEncrypted
    ? new DocumentFault(
        'encrypted',
        'The file is protected by a password. Save it without a password and add it again.',
      )
    : unsupported('This is a file of an old version of Office. Save it as .docx and add it again.');
}

function unsupported(why: string): DocumentFault {
  return new DocumentFault('unsupported', `${why} Add PDF, Word (.docx), HTML, Markdown, CSV or plain text.`);
}

/** Detects pictures, sound and programs. UTF-16 text begins with a byte order mark and is not binary. */
const isBinary = (head: string): boolean =>
  head.includes('\0') && !head.startsWith('\xff\xfe') && !head.startsWith('\xfe\xff');

/** Detects HTML, even without a doctype. Markdown may begin with a tag, but not with one of the tags in this list. */
const isHtml = (text: string): boolean => {
  const head = text.slice(0, HEAD);
  return (
    /^\s*(?:<!--[^>]*-->\s*)*(?:<\?xml[^>]*\?>\s*)?<(?:!doctype html|html|head|body|title|meta|table|main|article|section)[\s>]/i.test(
      head,
    ) || /<html[\s>]/i.test(head)
  );
};
