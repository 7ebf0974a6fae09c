import type { LocalizedText } from '../../../contract/agents.ts';
import type { Db } from '../../store/db.ts';

/** The dependencies of the verbs in this folder. */
export type HandOffsDeps = {
  db: Db;
  kinds: ReadonlyMap<string, { byStoring?: boolean }>;
  templates: { choose(text: LocalizedText, locale: string | null): string | null };
};
