import { Type, type Static } from 'typebox';

/** The reasons for a fallback to the next model. */
export const FALLBACK_REASONS = ['budget', 'failure', 'slow', 'limit'] as const;
export type FallbackReason = (typeof FALLBACK_REASONS)[number];

/** A model that failed to answer, and the code of the reason. */
export const InsteadOf = Type.Object({ provider: Type.String(), model: Type.String(), code: Type.String() });
export type InsteadOf = Static<typeof InsteadOf>;

/** An amount is a decimal number as text, so that no digit is lost. */
export const Cost = Type.Object(
  { amount: Type.String({ pattern: '^[0-9]+(\\.[0-9]+)?$' }), currency: Type.String({ pattern: '^[A-Z]{3}$' }) },
  { title: 'Cost' },
);
export type Cost = Static<typeof Cost>;

const use = {
  turns: Type.Integer({ description: 'Turns with a model call, including turns whose answer was not stored.' }),
  calls: Type.Integer({ description: 'Calls of the model, or of your code.' }),
  unmeasured_calls: Type.Integer({
    description:
      'Calls with unknown usage: the provider did not report it or respond in time, or your code answers later (202).',
  }),
  input_tokens: Type.Integer(),
  cached_tokens: Type.Integer({ description: 'Input tokens that the provider read from its cache.' }),
  output_tokens: Type.Integer(),
  tool_calls: Type.Integer(),
  seconds: Type.Number({ description: 'How long the calls lasted, without unmeasured calls.' }),
};

/** The total usage of several turns. The field `cost` has one entry per currency and excludes `unpriced_tokens`. */
export const Use = Type.Object(
  {
    ...use,
    cost: Type.Array(Cost),
    unpriced_tokens: Type.Integer({ description: 'Tokens of models without a price. Their cost is unknown.' }),
  },
  { title: 'Use' },
);
export type Use = Static<typeof Use>;

/** The usage of one model in a run or a conversation. */
export const ModelUse = Type.Object(
  {
    provider: Type.String(),
    model: Type.String({ description: 'Empty: the built-in engine or a hand-off replaced the model.' }),
    ...use,
    cost: Type.Union([Cost, Type.Null()], { description: 'Null: the model has no price.' }),
    instead_of: Type.Array(InsteadOf, {
      description: 'The earlier models that did not answer, with the reason.',
    }),
  },
  { title: 'ModelUse' },
);
export type ModelUse = Static<typeof ModelUse>;
