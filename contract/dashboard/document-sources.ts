import { Type, type Static } from 'typebox';
import { closed, Moment, Nullable, PageQuery } from './shapes.ts';

/**
 * A page, a sitemap or a site that an agent uses for answers. Parley regularly reads the pages of the source and stores
 * them as documents.
 */
export const SOURCE_KINDS = ['page', 'sitemap', 'site'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];
export const SOURCE_SCHEDULES = ['never', 'daily', 'weekly'] as const;
export const SOURCE_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type SourceState = (typeof SOURCE_STATES)[number];
/**
 * A page with the state `read` has a document. A page with the state `duplicate` or `redirect` refers to another page.
 * A page with the state `empty` has no text.
 */
export const PAGE_STATES = ['waiting', 'read', 'duplicate', 'redirect', 'empty', 'sitemap', 'fault'] as const;
export type PageState = (typeof PAGE_STATES)[number];

export const MAX_SOURCES_PER_ORGANIZATION = 50;
export const MAX_PAGES_PER_SOURCE = 500;
export const DEFAULT_PAGES_PER_SOURCE = 200;

const Schedule = Type.Enum(SOURCE_SCHEDULES);
const MaxPages = Type.Integer({ minimum: 1, maximum: MAX_PAGES_PER_SOURCE, default: DEFAULT_PAGES_PER_SOURCE });
const Cause = Type.Object({ code: Type.String(), detail: Type.String() });

export const SourceRecord = Type.Object(
  {
    id: Type.String(),
    agent_id: Type.String(),
    url: Type.String(),
    kind: Type.Enum(SOURCE_KINDS),
    schedule: Schedule,
    max_pages: Type.Integer(),
    state: Type.Enum(SOURCE_STATES),
    /**
     * The numbers of known addresses, of addresses that this sync has visited, of pages with a document, and of failed
     * pages.
     */
    pages: Type.Object({
      known: Type.Integer(),
      done: Type.Integer(),
      read: Type.Integer(),
      faults: Type.Integer(),
    }),
    /** True: the source has more pages than `max_pages`. */
    limit_reached: Type.Boolean(),
    fault: Nullable(Cause),
    started_at: Nullable(Moment),
    /** The time at which the last sync ended. */
    finished_at: Nullable(Moment),
    next_at: Nullable(Moment),
    created_at: Moment,
    updated_at: Moment,
  },
  { title: 'DocumentSource' },
);
export type SourceRecord = Static<typeof SourceRecord>;

export const SourcePage = Type.Object(
  {
    url: Type.String(),
    state: Type.Enum(PAGE_STATES),
    document_id: Nullable(Type.String()),
    /** The page to which a duplicate or a redirect refers. */
    leads_to: Nullable(Type.String()),
    fault: Nullable(Cause),
    fetched_at: Nullable(Moment),
    created_at: Moment,
  },
  { title: 'SourcePage' },
);
export type SourcePage = Static<typeof SourcePage>;

export const SourcePagesQuery = PageQuery({ state: Type.Optional(Type.Enum(PAGE_STATES)) });

export const CreateSourceBody = Type.Object(
  {
    url: Type.String({ format: 'uri', maxLength: 600 }),
    kind: Type.Enum(SOURCE_KINDS),
    schedule: Type.Optional(Schedule),
    max_pages: Type.Optional(MaxPages),
  },
  closed,
);
export type CreateSourceBody = Static<typeof CreateSourceBody>;

export const UpdateSourceBody = Type.Object(
  { schedule: Type.Optional(Schedule), max_pages: Type.Optional(MaxPages) },
  { ...closed, minProperties: 1 },
);
export type UpdateSourceBody = Static<typeof UpdateSourceBody>;
