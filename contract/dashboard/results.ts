import { Type, type Static } from 'typebox';
import { RunResult } from '../results.ts';
import { RUN_STATUSES } from '../triggers.ts';
import { Moment, Nullable } from './shapes.ts';

/** The result of one conversation of a campaign. */
export const ResultRecord = Type.Object(
  {
    /** The ID of the run. */
    id: Type.String(),
    recipient_id: Nullable(Type.String()),
    /** The caller's own ID of the recipient. */
    ref: Nullable(Type.String()),
    conversation_id: Type.String(),
    end_user_id: Type.String(),
    status: Type.Enum(RUN_STATUSES),
    reason: Nullable(Type.String()),
    agent_version: Nullable(Type.Integer()),
    result: RunResult,
    created_at: Moment,
    finished_at: Nullable(Moment),
  },
  { title: 'Result' },
);
export type ResultRecord = Static<typeof ResultRecord>;

/**
 * A result with the name of its person, or another text that identifies the person. Null: the person was erased, or has
 * no name.
 */
export const NamedResult = Type.Object(
  { ...ResultRecord.properties, name: Nullable(Type.String()) },
  { title: 'NamedResult' },
);
export type NamedResult = Static<typeof NamedResult>;
