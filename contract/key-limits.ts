import { Type, type Static } from 'typebox';

/** The limits of PARLEY_LIMITS always apply, also to a key without own limits. */
export const MAX_KEY_CALLS_PER_MINUTE = 1_000_000;
export const MAX_KEY_TOTAL = 1_000_000_000;

const PerMinute = Type.Integer({ minimum: 1, maximum: MAX_KEY_CALLS_PER_MINUTE });

export const KEY_LIMITS = ['per_minute', 'per_end_user_per_minute', 'total'] as const;
export type KeyLimit = (typeof KEY_LIMITS)[number];

const fields = {
  /** The calls of the key in a minute, in all families together. */
  per_minute: PerMinute,
  /** The trigger calls and sends for one end user in a minute. */
  per_end_user_per_minute: PerMinute,
  /** The number of accepted calls until the key is used up. */
  total: Type.Integer({ minimum: 1, maximum: MAX_KEY_TOTAL }),
};

/** The limits of a single key. Limits can be lowered, but never raised or removed. */
export const KeyLimits = Type.Object(
  {
    per_minute: Type.Optional(fields.per_minute),
    per_end_user_per_minute: Type.Optional(fields.per_end_user_per_minute),
    total: Type.Optional(fields.total),
  },
  { additionalProperties: false, title: 'KeyLimits' },
);
export type KeyLimits = Static<typeof KeyLimits>;

/** New values of some limits. Null is refused, because it would remove the limit. */
export const LowerKeyLimitsBody = Type.Object(
  {
    per_minute: Type.Optional(Type.Union([fields.per_minute, Type.Null()])),
    per_end_user_per_minute: Type.Optional(Type.Union([fields.per_end_user_per_minute, Type.Null()])),
    total: Type.Optional(Type.Union([fields.total, Type.Null()])),
  },
  { additionalProperties: false },
);
export type LowerKeyLimitsBody = Static<typeof LowerKeyLimitsBody>;
