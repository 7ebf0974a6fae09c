import { documentQueue } from '../queue/document-queue.ts';

/** Documents whose passages must be embedded. */
export const EMBEDDINGS = documentQueue({
  table: 'document_embedding',
  results: 'passage_embedding',
  done: 'embedded',
  model: 'embedding_model',
});
