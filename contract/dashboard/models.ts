import { Type, type Static } from 'typebox';
import type { ProviderName } from '../agents.ts';
import { closed, Moment, Nullable } from './shapes.ts';

/** The providers that need credentials. */
export const MODEL_PROVIDERS = ['openai_compatible', 'openai', 'anthropic', 'google'] as const satisfies ProviderName[];
export type ModelProviderName = (typeof MODEL_PROVIDERS)[number];

/** The key is encrypted in the database and never shown again. */
export const ModelRecord = Type.Object(
  {
    provider: Type.Enum(MODEL_PROVIDERS),
    base_url: Nullable(Type.String()),
    has_key: Type.Boolean(),
    /**
     * The model that creates the embeddings of all documents of the organization. Null if the connection creates no
     * embeddings.
     */
    embedding_model: Nullable(Type.String()),
    /** The dimensions of the vectors of the embedding model. Null: Parley has not called the model yet. */
    embedding_dimensions: Nullable(Type.Integer()),
    /** The model that transcribes audio messages. Null if the connection does not transcribe. */
    transcription_model: Nullable(Type.String()),
    /**
     * The model that writes questions for the passages of all documents. Null if the connection writes no questions.
     */
    question_model: Nullable(Type.String()),
    updated_at: Moment,
  },
  { title: 'ModelProvider' },
);
export type ModelRecord = Static<typeof ModelRecord>;

export const SetModelBody = Type.Object(
  {
    base_url: Type.Optional(Nullable(Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2048 }))),
    /** An absent key does not change, and null removes the key. */
    key: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 1000, pattern: '^[!-~]+$' }))),
    /**
     * Null turns embeddings off. Only one connection of an organization creates embeddings, so the earlier connection
     * stops.
     */
    embedding_model: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 200, pattern: '^[!-~]+$' }))),
    /**
     * Null turns transcripts off. Only one connection of an organization transcribes, so the earlier connection stops.
     */
    transcription_model: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 200, pattern: '^[!-~]+$' }))),
    /**
     * Null turns the writing of questions off and deletes them. Only one connection of an organization writes
     * questions.
     */
    question_model: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 200, pattern: '^[!-~]+$' }))),
  },
  { ...closed, minProperties: 1 },
);
export type SetModelBody = Static<typeof SetModelBody>;

/** The result of one call of the embedding model. */
export const ModelCheck = Type.Object(
  { embedding_model: Type.String(), embedding_dimensions: Type.Integer() },
  { title: 'ModelCheck' },
);
export type ModelCheck = Static<typeof ModelCheck>;

export const MAX_EMBEDDING_DIMENSIONS = 4_096;
export const NO_EMBEDDINGS =
  'Anthropic has no embedding models. Connect OpenAI, Google or an OpenAI-compatible server for embeddings.';

export const NO_TRANSCRIPTS =
  'Anthropic has no transcription models. Connect OpenAI, Google or an OpenAI-compatible server for transcripts.';

/** The progress of the embeddings of an agent's documents. */
export const EmbeddingProgress = Type.Object(
  {
    /** Null: the organization has no embedding model. */
    model: Nullable(
      Type.Object({
        provider: Type.Enum(MODEL_PROVIDERS),
        name: Type.String(),
        dimensions: Nullable(Type.Integer()),
      }),
    ),
    passages: Type.Integer(),
    embedded: Type.Integer(),
    /**
     * The field `uncounted` is the number of documents whose passages are not counted yet. The field `failed` is the
     * number of documents that Parley does not try again automatically.
     */
    documents: Type.Object({
      all: Type.Integer(),
      done: Type.Integer(),
      uncounted: Type.Integer(),
      failed: Type.Integer(),
    }),
    fault: Nullable(Type.Object({ code: Type.String(), detail: Type.String() })),
    /** The time at which Parley tries again. Null: no document is left, or a person must retry. */
    next_at: Nullable(Moment),
    /** The questions that a model writes for the passages. */
    questions: Type.Object({
      /** Null: no model writes questions. */
      model: Nullable(Type.Object({ provider: Type.Enum(MODEL_PROVIDERS), name: Type.String() })),
      passages: Type.Integer(),
      /** The number of passages for which the model was called. */
      written: Type.Integer(),
      failed: Type.Integer(),
      fault: Nullable(Type.Object({ code: Type.String(), detail: Type.String() })),
      next_at: Nullable(Moment),
    }),
  },
  { title: 'EmbeddingProgress' },
);
export type EmbeddingProgress = Static<typeof EmbeddingProgress>;
