import { createHash } from 'node:crypto';
import type { Passage } from '../provider.ts';

/** The model that makes the vectors, and the address of the model. Vectors of two models cannot be compared. */
export type EmbeddingSpace = { provider: string; baseUrl: string | null; model: string };

export const HASH_BYTES = 16;

/**
 * Returns the text that is embedded for a passage. The text includes the headings, because they state the topic. The
 * text does not include the document's name, because the name may change.
 */
export const textToEmbed = ({ heading, text }: Pick<Passage, 'heading' | 'text'>): string =>
  (heading === null ? text : `${heading}\n${text}`).slice(0, MAX_EMBEDDED_CHARACTERS);

/** Headings of lists can be long, and the smallest context windows of embedding models have 512 tokens. */
const MAX_EMBEDDED_CHARACTERS = 1_500;

/** The same text has the same key in any document. */
export function vectorKeys({ provider, baseUrl, model }: EmbeddingSpace): (text: string) => string {
  const space = createHash('sha256').update(JSON.stringify([provider, baseUrl, model]));
  return (text) =>
    space
      .copy()
      .update(text)
      .digest('hex')
      .slice(0, HASH_BYTES * 2);
}
