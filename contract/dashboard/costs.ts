import { Type, type Static } from 'typebox';
import { idPattern } from '../ids.ts';
import { Use } from '../costs.ts';
import { MODEL_PROVIDERS } from './models.ts';
import { closed, Id, Nullable } from './shapes.ts';

export const BUDGET_SUBJECTS = ['organization', 'agent', 'campaign', 'key'] as const;
export const BUDGET_PERIODS = ['day', 'month'] as const;
export const MAX_BUDGETS = 200;
export const MAX_PRICES = 200;

const Currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'Three letters of ISO 4217, such as USD.' });
/** The price for one million tokens. */
const Price = Type.Number({ minimum: 0, maximum: 1_000_000 });
const ModelName = Type.String({ minLength: 1, maxLength: 200 });

const price = { currency: Currency, input: Price, output: Price, cached: Nullable(Price) };

export const ModelPrice = Type.Object(
  { provider: Type.Enum(MODEL_PROVIDERS), model: Type.String(), ...price },
  { title: 'ModelPrice' },
);
export type ModelPrice = Static<typeof ModelPrice>;

export const SetPriceBody = Type.Object(
  {
    provider: Type.Enum(MODEL_PROVIDERS),
    model: ModelName,
    price: Nullable(Type.Object({ ...price, cached: Type.Optional(Nullable(Price)) }, closed)),
  },
  { ...closed, description: '`price` null: removes the price.' },
);
export type SetPriceBody = Static<typeof SetPriceBody>;

const subject = {
  subject: Type.Enum(BUDGET_SUBJECTS),
  subject_id: Nullable(Type.String()),
  period: Type.Enum(BUDGET_PERIODS),
  unit: Type.String({ description: '`tokens`, `calls`, `seconds`, or a currency code.' }),
  amount: Type.Number(),
};

export const BudgetRecord = Type.Object(
  {
    id: Type.String(),
    ...subject,
    /** The name is null for the organization and for a deleted subject. */
    subject_name: Nullable(Type.String()),
    /** The amount that is spent in the current period, in UTC. */
    spent: Type.Number(),
    /** The amount that turns in progress have reserved. */
    reserved: Type.Number(),
    period_start: Type.String({ format: 'date' }),
    /** The level that event and mail last announced in this period, which is 80 or 100, or 0 for none. */
    told_percent: Type.Integer(),
  },
  { title: 'Budget' },
);
export type BudgetRecord = Static<typeof BudgetRecord>;

export const SetBudgetBody = Type.Object(
  {
    subject: subject.subject,
    subject_id: Type.Optional(
      Type.Union([
        Type.String({ pattern: `${idPattern('agent')}|${idPattern('campaign')}|${idPattern('key')}` }),
        Type.Null(),
      ]),
    ),
    period: subject.period,
    unit: Type.String({ pattern: '^(tokens|calls|seconds|[A-Z]{3})$' }),
    amount: Type.Number({ minimum: 0, maximum: 1_000_000_000_000 }),
  },
  closed,
);
export type SetBudgetBody = Static<typeof SetBudgetBody>;

export const USAGE_GROUPS = ['day', 'agent', 'key', 'campaign', 'model'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];
const Day = Type.String({ format: 'date' });

export const UsageQuery = Type.Object(
  {
    by: Type.Optional(Type.Enum(USAGE_GROUPS, { default: 'day' })),
    since: Type.Optional(Day),
    until: Type.Optional(Day),
    agent_id: Type.Optional(Id('agent')),
    key_id: Type.Optional(Id('key')),
    campaign_id: Type.Optional(Id('campaign')),
  },
  closed,
);

/**
 * The days are in UTC, and the period includes both ends. Without `since`, the period is the last 30 days. The response
 * has at most 400 groups, the newest or largest first.
 */
export const UsageRecord = Type.Object(
  {
    since: Day,
    until: Day,
    total: Use,
    data: Type.Array(
      Type.Object({
        /** The group is the day, the ID, or `provider/model`. Null if the turns of the group do not have the value. */
        group: Nullable(Type.String()),
        /** The name of an agent, a key or a campaign. */
        name: Nullable(Type.String()),
        use: Use,
      }),
    ),
  },
  { title: 'Usage' },
);
export type UsageRecord = Static<typeof UsageRecord>;
