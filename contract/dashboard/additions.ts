import { Type, type Static } from 'typebox';
import { MAX_FILE_CHARACTERS, MAX_NAMED } from './campaigns.ts';
import { EndUserExportQuery } from './end-users.ts';
import { closed, Moment, Nullable, PageQuery } from './shapes.ts';

/** Adding an audience in the background: end users by filters, or the recipients of a file. */
export const PUSH_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type PushState = (typeof PUSH_STATES)[number];

/** One campaign has one that is not finished; so many in an organization, because their files take room. */
export const MAX_OPEN_PUSHES = 20;
/** Finished ones of a campaign that are kept. */
export const MAX_KEPT_PUSHES = 20;

/** Either `filters` or `file`. */
export const StartPushBody = Type.Object(
  {
    filters: Type.Optional(EndUserExportQuery),
    /** CSV with a header row, or one recipient as JSON in each line. */
    file: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_FILE_CHARACTERS })),
  },
  { ...closed, minProperties: 1, maxProperties: 1 },
);
export type StartPushBody = Static<typeof StartPushBody>;

const PushFault = Type.Object({ row: Type.Integer(), detail: Type.String() });
export type PushFault = Static<typeof PushFault>;

export const PushRecord = Type.Object(
  {
    id: Type.String(),
    campaign_id: Type.String(),
    source: Type.Enum(['filters', 'file'] as const),
    /** Names of the filters; their values may be about people, and are deleted when the push ends. */
    filters: Type.Array(Type.String()),
    state: Type.Enum(PUSH_STATES),
    /** Waits because the campaign is paused. */
    is_held: Type.Boolean(),
    /** Recipients of the file; null: not known before the end. */
    total: Nullable(Type.Integer()),
    /** Looked at until now; the numbers below are of these. */
    done: Type.Integer(),
    accepted: Type.Integer(),
    /** In the campaign already, or twice in the file. */
    duplicates: Type.Integer(),
    opted_out: Type.Integer(),
    blocked: Type.Integer(),
    invalid: Type.Integer(),
    /** The first of the invalid rows of a file; the first recipient is 1. */
    faults: Type.Array(PushFault, { maxItems: MAX_NAMED }),
    /** Why it failed, or was stopped by the server. */
    fault: Nullable(Type.Object({ code: Type.String(), detail: Type.String() })),
    /** Who started it; null: the account was deleted. */
    created_by: Nullable(Type.String()),
    created_at: Moment,
    finished_at: Nullable(Moment),
  },
  { title: 'AudiencePush' },
);
export type PushRecord = Static<typeof PushRecord>;

export const PushListQuery = PageQuery({});
