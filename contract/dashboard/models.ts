import { Type, type Static } from 'typebox';
import type { ProviderName } from '../agents.ts';
import { closed, Moment, Nullable } from './shapes.ts';

/** The providers that need credentials. */
export const MODEL_PROVIDERS = ['openai_compatible', 'openai', 'anthropic', 'google'] as const satisfies ProviderName[];
export type ModelProviderName = (typeof MODEL_PROVIDERS)[number];

/** The key itself is sealed at rest and never shown again. */
export const ModelRecord = Type.Object(
  {
    provider: Type.Enum(MODEL_PROVIDERS),
    base_url: Nullable(Type.String()),
    has_key: Type.Boolean(),
    updated_at: Moment,
  },
  { title: 'ModelProvider' },
);
export type ModelRecord = Static<typeof ModelRecord>;

export const SetModelBody = Type.Object(
  {
    base_url: Type.Optional(Nullable(Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2048 }))),
    /** Absent keeps the stored key; null removes it. */
    key: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 1000, pattern: '^[!-~]+$' }))),
  },
  { ...closed, minProperties: 1 },
);
export type SetModelBody = Static<typeof SetModelBody>;
