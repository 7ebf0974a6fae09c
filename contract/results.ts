import { Type, type Static } from 'typebox';

/**
 * The result of a conversation consists of values of the fields that the agent declares. Steps, a model or a backend
 * fill the fields, so each value is checked against its field before it is stored.
 */
export const RESULT_TYPES = ['text', 'number', 'integer', 'yes_no', 'date', 'choice', 'email', 'phone'] as const;
export type ResultType = (typeof RESULT_TYPES)[number];

export const MAX_RESULT_FIELDS = 50;
/** One value has at most this many characters. */
export const MAX_RESULT_TEXT = 2_000;
export const MAX_RESULT_CHOICES = 100;

/** The path `attributes.__proto__` names no attribute, because names begin with a letter. */
export const SAVE_TO_PATTERN = '^end_user\\.(name|email|phone|locale|attributes\\.[a-zA-Z][a-zA-Z0-9_-]{0,63})$';

const closed = { additionalProperties: false };

export const ResultField = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
    type: Type.Enum([...RESULT_TYPES]),
    description: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_000, description: 'What the value means; a model reads it.' }),
    ),
    choices: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: MAX_RESULT_CHOICES,
        description: 'The values of a `choice`. With a step of the same name: ids of its choices.',
      }),
    ),
    required: Type.Optional(
      Type.Boolean({ default: false, description: 'Without this value the result is not complete.' }),
    ),
    save_to: Type.Optional(
      Type.String({
        pattern: SAVE_TO_PATTERN,
        description:
          'Also stored with the end user: end_user.name, email, phone, locale, or end_user.attributes.NAME. E-mail and phone only fill an empty field.',
      }),
    ),
  },
  closed,
);
export type ResultField = Static<typeof ResultField>;

export const ResultDefinition = Type.Object(
  { fields: Type.Array(ResultField, { minItems: 1, maxItems: MAX_RESULT_FIELDS }) },
  {
    ...closed,
    description:
      'The values that a conversation returns. Steps fill fields of the same name; the agent’s model fills the others when the run ends or is handed over.',
  },
);
export type ResultDefinition = Static<typeof ResultDefinition>;

export const RESULT_STATUSES = ['none', 'partial', 'complete', 'failed'] as const;

export const ResultValue = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);
export type ResultValue = Static<typeof ResultValue>;

export const RunResult = Type.Object(
  {
    status: Type.Enum([...RESULT_STATUSES], {
      description:
        '`none`: no value yet. `partial`: some values. `complete`: all required values. `failed`: a model could not fill the fields.',
    }),
    data: Type.Record(Type.String(), ResultValue, { description: 'The values by field. A missing value is absent.' }),
    missing: Type.Array(Type.String(), { description: 'Names of required fields without a value.' }),
    updated_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { title: 'RunResult' },
);
export type RunResult = Static<typeof RunResult>;

/** The result of a run without values. */
export const NO_RESULT: RunResult = { status: 'none', data: {}, missing: [], updated_at: null };
