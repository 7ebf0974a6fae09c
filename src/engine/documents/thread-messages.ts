import type { DocumentFaultCode } from './document-fault.ts';
import type { FileHints, ReadFile } from './read-document.ts';
import type { Sitemap } from './read-sitemap.ts';

/** The tasks and the answers of the thread that reads documents. */
export type Task =
  | { kind: 'file'; bytes: Uint8Array; hints: FileHints }
  | { kind: 'page'; bytes: Uint8Array; url: string; contentType: string }
  | { kind: 'robots'; text: string; robotsUrl: string; url: string; agent: string };

/** Addresses are absolute and normalized. A sitemap has no text. */
export type ReadPage = {
  title: string;
  text: string;
  canonical: string | null;
  links: string[];
  sitemap: Sitemap | null;
};
export type RobotsSay = { allowed: boolean; delaySeconds: number };

export type Answers = { file: ReadFile; page: ReadPage; robots: RobotsSay };
export type Done =
  | { ok: Answers[keyof Answers] }
  | { fault: { code: DocumentFaultCode; detail: string } }
  | { error: string };
