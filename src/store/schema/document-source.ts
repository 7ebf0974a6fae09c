import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { agent } from './agent.ts';
import { createdAt, moment, orgId } from './columns.ts';

export type Cause = { code: string; detail: string };

/** A page, a sitemap or a site. The row is also an entry in the queue with `due_at` and `lease`, as for runs. */
export const documentSource = pgTable(
  'document_source',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    agentId: text('agent_id').notNull(),
    url: text('url').notNull(),
    kind: text('kind').notNull(),
    /**
     * Pages below this address belong to the source. The address may differ from the URL of the source, because a
     * redirect may lead to another host.
     */
    scope: text('scope').notNull(),
    /** The host of the address `scope`. Two syncs of one host never run at the same time. */
    host: text('host').notNull(),
    schedule: text('schedule').notNull(),
    maxPages: integer('max_pages').notNull(),
    /** The state is `queued`, `running`, `done`, `failed` or `cancelled`. */
    state: text('state').notNull().default('queued'),
    /** The number of the current sync. If a page has a lower number, this sync has not read the page yet. */
    sync: integer('sync').notNull().default(0),
    /** The number of consecutive pages that did not answer. */
    failures: integer('failures').notNull().default(0),
    limitReached: boolean('limit_reached').notNull().default(false),
    fault: jsonb('fault').$type<Cause>(),
    createdBy: text('created_by').notNull(),
    dueAt: moment('due_at'),
    lease: text('lease'),
    startedAt: moment('started_at'),
    finishedAt: moment('finished_at'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    foreignKey({ columns: [table.orgId, table.agentId], foreignColumns: [agent.orgId, agent.id] }),
    index('document_source_due')
      .on(table.dueAt)
      .where(sql`due_at IS NOT NULL`),
    index('document_source_host')
      .on(table.host)
      .where(sql`lease IS NOT NULL`),
    index('document_source_list').on(table.agentId, table.createdAt),
  ],
);

/** An address that a sync found, and its state. */
export const documentPage = pgTable(
  'document_page',
  {
    orgId: orgId(),
    sourceId: text('source_id').notNull(),
    url: text('url').notNull(),
    /** The states are listed in contract/dashboard/document-sources.ts. */
    state: text('state').notNull().default('waiting'),
    isSitemap: boolean('is_sitemap').notNull().default(false),
    /** The last sync that read the page, and the last sync that found the page's address. */
    sync: integer('sync').notNull().default(0),
    found: integer('found').notNull(),
    attempts: integer('attempts').notNull().default(0),
    etag: text('etag'),
    lastModified: text('last_modified'),
    /** The hash of the page's text. */
    hash: text('hash'),
    documentId: text('document_id'),
    leadsTo: text('leads_to'),
    fault: jsonb('fault').$type<Cause>(),
    fetchedAt: moment('fetched_at'),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.sourceId, table.url] }),
    foreignKey({
      columns: [table.orgId, table.sourceId],
      foreignColumns: [documentSource.orgId, documentSource.id],
    }).onDelete('cascade'),
  ],
);
