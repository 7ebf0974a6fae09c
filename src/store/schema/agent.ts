import { sql } from 'drizzle-orm';
import {
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { AgentDefinition } from '../../../contract/agents.ts';
import type { TestCase } from '../../../contract/dashboard/test-cases.ts';
import type { ToolCredentialsLook } from '../../../contract/dashboard/tools.ts';
import { createdAt, moment, orgId } from './columns.ts';
import { organization } from './identity.ts';

/**
 * An agent. Members edit `draft`. `published` is live and is the definition of `version`. Each publish adds an
 * `agent_version`, which may be newer than the live version.
 */
export const agent = pgTable(
  'agent',
  {
    orgId: orgId().references(() => organization.id),
    id: text('id').notNull(),
    name: text('name').notNull(),
    enabled: boolean('enabled').notNull().default(true),
    draft: jsonb('draft').$type<AgentDefinition>().notNull(),
    published: jsonb('published').$type<AgentDefinition>().notNull(),
    version: integer('version').notNull().default(1),
    /** The number grows with every change of the agent or its documents, and caches compare this number. */
    revision: integer('revision').notNull().default(1),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    deletedAt: moment('deleted_at'),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    index('agent_list')
      .on(table.orgId, table.createdAt, table.id)
      .where(sql`deleted_at IS NULL`),
  ],
);

export const agentVersion = pgTable(
  'agent_version',
  {
    orgId: orgId(),
    agentId: text('agent_id').notNull(),
    version: integer('version').notNull(),
    definition: jsonb('definition').$type<AgentDefinition>().notNull(),
    publishedBy: text('published_by'),
    /**
     * The reason to publish the version although not all tests passed. Null: all tests passed, or the agent had no
     * tests.
     */
    withoutTests: text('without_tests'),
    /** True: the version was added without being live, and has not become live since. */
    neverLive: boolean('never_live').notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.agentId, table.version] }),
    foreignKey({ columns: [table.orgId, table.agentId], foreignColumns: [agent.orgId, agent.id] }),
  ],
);

/** The tests of an agent. */
export const agentSuite = pgTable(
  'agent_suite',
  {
    orgId: orgId(),
    agentId: text('agent_id').notNull(),
    cases: jsonb('cases').$type<TestCase[]>().notNull(),
    /** True: the agent can be published only if all cases pass. */
    required: boolean('required').notNull().default(false),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.agentId] }),
    foreignKey({ columns: [table.orgId, table.agentId], foreignColumns: [agent.orgId, agent.id] }),
  ],
);

/**
 * A case that passed. The `print` of a result is computed from the case, the definition and the documents. Parley
 * deletes old passes.
 */
export const agentTestPass = pgTable(
  'agent_test_pass',
  {
    orgId: orgId(),
    agentId: text('agent_id').notNull(),
    print: text('print').notNull(),
    passedAt: moment('passed_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.agentId, table.print] }),
    foreignKey({ columns: [table.orgId, table.agentId], foreignColumns: [agent.orgId, agent.id] }),
  ],
);

/** A document that an agent uses for answers. The engine splits `text` into passages when the agent is loaded. */
export const document = pgTable(
  'document',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    agentId: text('agent_id').notNull(),
    name: text('name').notNull(),
    text: text('text').notNull(),
    /** The source and the address of a document that Parley reads from a page. Null: a person added the document. */
    sourceId: text('source_id'),
    url: text('url'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    foreignKey({ columns: [table.orgId, table.agentId], foreignColumns: [agent.orgId, agent.id] }),
    index('document_list').on(table.agentId, table.createdAt),
    index('document_of_source')
      .on(table.sourceId)
      .where(sql`source_id IS NOT NULL`),
  ],
);

/**
 * The signing secret and the credentials for calls of one tool at one origin. The secret and the credentials are not
 * part of the definition: versions contain no secret, and a secret stays valid for a new version.
 */
export const toolSecret = pgTable(
  'tool_secret',
  {
    orgId: orgId(),
    id: text('id').notNull(),
    agentId: text('agent_id').notNull(),
    tool: text('tool').notNull(),
    /**
     * The scheme, host and port of the tool's address. Each host has a separate secret, because with a shared secret
     * one host could forge calls to another.
     */
    origin: text('origin').notNull(),
    /** The sealed value has the form `{ secret, previous?, credentials? }`. */
    sealed: text('sealed').notNull(),
    /** The kinds of the sealed credentials without the values. */
    credentials: jsonb('credentials').$type<ToolCredentialsLook>().notNull(),
    /** The previous secret stays valid until this time. */
    previousUntil: moment('previous_until'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.id] }),
    foreignKey({ columns: [table.orgId, table.agentId], foreignColumns: [agent.orgId, agent.id] }),
    unique('tool_secret_of_tool').on(table.orgId, table.agentId, table.tool, table.origin),
  ],
);

/** Credentials of a model provider, sealed with the organization's data key. */
export const modelProvider = pgTable(
  'model_provider',
  {
    orgId: orgId().references(() => organization.id),
    provider: text('provider').notNull(),
    baseUrl: text('base_url'),
    sealedKey: text('sealed_key'),
    /** The model that makes the embeddings of the organization. Null if the connection makes no embeddings. */
    embeddingModel: text('embedding_model'),
    /**
     * The number of dimensions of the vectors, known after the model's first call. Null: Parley has not called the
     * model yet.
     */
    embeddingDimensions: integer('embedding_dimensions'),
    /** The model that transcribes audio of the organization. Null if the connection transcribes no audio. */
    transcriptionModel: text('transcription_model'),
    /** The model that writes questions for passages of the organization. Null if the connection writes no questions. */
    questionModel: text('question_model'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.orgId, table.provider] }),
    // Vectors of two models cannot be compared, so only one connection of an organization makes vectors.
    uniqueIndex('model_provider_embeds')
      .on(table.orgId)
      .where(sql`embedding_model IS NOT NULL`),
    uniqueIndex('model_provider_transcribes')
      .on(table.orgId)
      .where(sql`transcription_model IS NOT NULL`),
    uniqueIndex('model_provider_questions')
      .on(table.orgId)
      .where(sql`question_model IS NOT NULL`),
  ],
);

/** The organization's data key, wrapped by a key derived from PARLEY_SECRET. */
export const dataKey = pgTable('data_key', {
  orgId: orgId()
    .primaryKey()
    .references(() => organization.id),
  wrapped: text('wrapped').notNull(),
  /**
   * The previous data key, for a process that read a sealed text just before the text was moved. Null: the organization
   * has no earlier data key.
   */
  previous: text('previous'),
  /** True while texts under the previous key may remain. */
  moving: boolean('moving').notNull().default(false),
  createdAt: createdAt(),
});
