import { Type, type Static } from 'typebox';
import { MAX_FILE_CHARACTERS, MAX_NAMED } from './campaigns.ts';
import { EndUserExportQuery } from './end-users.ts';
import { closed, Moment, Nullable, PageQuery } from './shapes.ts';

/**
 * An addition adds an audience in the background, which are end users who match filters, or the recipients of a file.
 * The calls of one key on one day (UTC) are also one addition, which is `done`.
 */
export const ADDITION_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type AdditionState = (typeof ADDITION_STATES)[number];

/**
 * A campaign has at most one unfinished addition. An organization has at most this many unfinished additions, because
 * their files use space.
 */
export const MAX_OPEN_ADDITIONS = 20;
/** This many finished additions are stored per campaign. */
export const MAX_STORED_ADDITIONS = 20;

/** The body has either `filters` or `file`. */
export const StartAdditionBody = Type.Object(
  {
    filters: Type.Optional(EndUserExportQuery),
    /** The file is CSV with a header row, or has one JSON recipient per line. */
    file: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_FILE_CHARACTERS })),
  },
  { ...closed, minProperties: 1, maxProperties: 1 },
);
export type StartAdditionBody = Static<typeof StartAdditionBody>;

const AdditionFault = Type.Object({
  row: Type.Integer(),
  detail: Type.String(),
  /**
   * The caller's own name for the recipient, and the request of the call. Only additions by calls of a key have `ref`
   * and the request.
   */
  ref: Type.Optional(Nullable(Type.String())),
  request_id: Type.Optional(Type.String()),
});
export type AdditionFault = Static<typeof AdditionFault>;

export const AdditionRecord = Type.Object(
  {
    id: Type.String(),
    campaign_id: Type.String(),
    source: Type.Enum(['filters', 'file', 'api'] as const),
    /**
     * The names of the filters of the addition. The values of the filters may be personal data and are deleted when the
     * addition ends.
     */
    filters: Type.Array(Type.String()),
    state: Type.Enum(ADDITION_STATES),
    /** True: the addition waits because the campaign is paused. */
    is_held: Type.Boolean(),
    /** The number of recipients that the file contains. Null: the number is unknown before the addition ends. */
    total: Nullable(Type.Integer()),
    /** The number of recipients that were examined so far. The numbers of outcomes count only examined recipients. */
    done: Type.Integer(),
    accepted: Type.Integer(),
    /** The number of people who are already in the campaign, or twice in the file. */
    duplicates: Type.Integer(),
    opted_out: Type.Integer(),
    blocked: Type.Integer(),
    invalid: Type.Integer(),
    /** The first invalid rows of a file, or the newest invalid recipients of calls. Row 1 is the first recipient. */
    faults: Type.Array(AdditionFault, { maxItems: MAX_NAMED }),
    /** The reason why the addition failed or the server stopped it. */
    fault: Nullable(Type.Object({ code: Type.String(), detail: Type.String() })),
    /** The person who started the addition, or the label of the key. Null: the person's account was deleted. */
    created_by: Nullable(Type.String()),
    created_at: Moment,
    finished_at: Nullable(Moment),
  },
  { title: 'AudiencePush' },
);
export type AdditionRecord = Static<typeof AdditionRecord>;

export const AdditionListQuery = PageQuery({});
