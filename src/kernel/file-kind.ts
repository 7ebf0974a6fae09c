/**
 * Detects the type of a file from its first bytes, because names and content types from senders are only claims. The
 * list is closed and contains the formats that browsers display without running code. SVG and HTML are documents with
 * scripts, so they are not in the list. The signatures come from
 * https://mimesniff.spec.whatwg.org/#matching-a-mime-type-pattern.
 */
export type FileKind = { kind: 'image' | 'audio' | 'video' | 'file'; type: string; extension: string };

const OTHER: FileKind = { kind: 'file', type: 'application/octet-stream', extension: '' };

const SIGNATURES: readonly (FileKind & { at?: number; bytes: string; and?: { at: number; bytes: string } })[] = [
  { bytes: '\x89PNG\r\n\x1a\n', kind: 'image', type: 'image/png', extension: 'png' },
  { bytes: '\xff\xd8\xff', kind: 'image', type: 'image/jpeg', extension: 'jpg' },
  { bytes: 'GIF87a', kind: 'image', type: 'image/gif', extension: 'gif' },
  { bytes: 'GIF89a', kind: 'image', type: 'image/gif', extension: 'gif' },
  { bytes: 'RIFF', and: { at: 8, bytes: 'WEBP' }, kind: 'image', type: 'image/webp', extension: 'webp' },
  { bytes: 'RIFF', and: { at: 8, bytes: 'WAVE' }, kind: 'audio', type: 'audio/wav', extension: 'wav' },
  { bytes: 'OggS', kind: 'audio', type: 'audio/ogg', extension: 'ogg' },
  { bytes: 'ID3', kind: 'audio', type: 'audio/mpeg', extension: 'mp3' },
  { bytes: '\xff\xfb', kind: 'audio', type: 'audio/mpeg', extension: 'mp3' },
  { bytes: '\xff\xf1', kind: 'audio', type: 'audio/aac', extension: 'aac' },
  { bytes: '#!AMR', kind: 'audio', type: 'audio/amr', extension: 'amr' },
  { at: 4, bytes: 'ftypM4A', kind: 'audio', type: 'audio/mp4', extension: 'm4a' },
  { at: 4, bytes: 'ftyp3gp', kind: 'video', type: 'video/3gpp', extension: '3gp' },
  { at: 4, bytes: 'ftypqt', kind: 'video', type: 'video/quicktime', extension: 'mov' },
  { at: 4, bytes: 'ftypheic', ...OTHER },
  { at: 4, bytes: 'ftypavif', kind: 'image', type: 'image/avif', extension: 'avif' },
  { at: 4, bytes: 'ftyp', kind: 'video', type: 'video/mp4', extension: 'mp4' },
  { bytes: '\x1aE\xdf\xa3', kind: 'video', type: 'video/webm', extension: 'webm' },
  { bytes: '%PDF-', kind: 'file', type: 'application/pdf', extension: 'pdf' },
];

export function fileKind(bytes: Buffer): FileKind {
  const holds = (at: number, text: string): boolean => bytes.toString('latin1', at, at + text.length) === text;
  const found = SIGNATURES.find(
    ({ at = 0, bytes: first, and }) => holds(at, first) && (!and || holds(and.at, and.bytes)),
  );
  return found ? { kind: found.kind, type: found.type, extension: found.extension } : OTHER;
}
