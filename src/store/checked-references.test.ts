import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { givenAgent, givenOrganization, givenTrigger } from '../../test/factories.ts';
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts';
import { type Db, openDb } from './db.ts';
import { CHECKED_REFERENCES } from './checked-references.ts';

/**
 * References that the database checks once per statement keep all that foreign keys keep. Each test plants a violation;
 * none of them uses a query of the program.
 */
let database: TestDatabase;
let db: Db;
let one: pg.Client;
let other: pg.Client;
let at: { [org in 'a' | 'b']: { orgId: string; agentId: string; channelId: string; triggerId: string } };

const connect = async (): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return client;
};

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb(database.url);
  const given = async () => {
    const orgId = await givenOrganization(db);
    const { agentId, channelId } = await givenAgent(db, orgId);
    return { orgId, agentId, channelId, triggerId: await givenTrigger(db, orgId, agentId) };
  };
  at = { a: await given(), b: await given() };
});
beforeEach(async () => {
  [one, other] = [await connect(), await connect()];
});
afterEach(() => Promise.all([one.end(), other.end()]));
afterAll(async () => {
  await db?.$client.end();
  await database?.drop();
});

let last = 0;
const fresh = (): string => `x${String((last += 1)).padStart(5, '0')}`;
const REFUSED = { code: '23503' };

/** Of work that waits for a lock, so that it is awaited later. */
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

/** A reference, how to create a parent of a new id, and a statement for children of given parents. */
type Reference = {
  child: string;
  parent: string;
  columns: string;
  /** Creates a parent; returns its id. */
  givenParent(client: pg.ClientBase): Promise<string>;
  /** Adds one child for each of these parents, in one statement. */
  addChildren(client: pg.ClientBase, orgId: string, parents: readonly string[]): Promise<unknown>;
};

async function person(client: pg.ClientBase): Promise<string> {
  const id = fresh();
  await client.query('INSERT INTO end_user (org_id, id) VALUES ($1, $2)', [at.a.orgId, id]);
  return id;
}

async function talk(client: pg.ClientBase): Promise<string> {
  const id = fresh();
  const { orgId, agentId, channelId } = at.a;
  await client.query(
    'INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id) VALUES ($1, $2, $3, $4, $5)',
    [orgId, id, agentId, channelId, await person(client)],
  );
  return id;
}

const ids = (parents: readonly string[]): string[] => parents.map(fresh);

const REFERENCES: Reference[] = [
  {
    child: 'conversation',
    parent: 'channel',
    columns: 'org_id,agent_id,channel_id',
    givenParent: async (client) => {
      const id = fresh();
      await client.query(`INSERT INTO channel (org_id, id, agent_id, kind, name) VALUES ($1, $2, $3, 'sandbox', 'x')`, [
        at.a.orgId,
        id,
        at.a.agentId,
      ]);
      return id;
    },
    addChildren: async (client, orgId, parents) => {
      const [agentId, endUserId] = [at.a.agentId, fresh()];
      await client.query(`INSERT INTO end_user (org_id, id) VALUES ($1, $2)`, [orgId, endUserId]);
      return client.query(
        `INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id)
         SELECT $1, id, $2, parent, $3 FROM unnest($4::text[], $5::text[]) AS t(id, parent)`,
        [orgId, agentId, endUserId, ids(parents), parents],
      );
    },
  },
  {
    child: 'conversation',
    parent: 'end_user',
    columns: 'org_id,end_user_id',
    givenParent: person,
    addChildren: (client, orgId, parents) => {
      const { agentId, channelId } = orgId === at.a.orgId ? at.a : at.b;
      return client.query(
        `INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id)
         SELECT $1, id, $2, $3, parent FROM unnest($4::text[], $5::text[]) AS t(id, parent)`,
        [orgId, agentId, channelId, ids(parents), parents],
      );
    },
  },
  {
    child: 'message',
    parent: 'conversation',
    columns: 'org_id,conversation_id',
    givenParent: talk,
    addChildren: (client, orgId, parents) =>
      client.query(
        `INSERT INTO message (org_id, id, conversation_id, role, content)
         SELECT $1, id, parent, 'agent', '{}' FROM unnest($2::text[], $3::text[]) AS t(id, parent)`,
        [orgId, ids(parents), parents],
      ),
  },
  {
    child: 'run',
    parent: 'conversation',
    columns: 'org_id,conversation_id',
    givenParent: talk,
    addChildren: (client, orgId, parents) =>
      client.query(
        `INSERT INTO run (org_id, id, conversation_id, status, input)
         SELECT $1, id, parent, 'queued', '{}' FROM unnest($2::text[], $3::text[]) AS t(id, parent)`,
        [orgId, ids(parents), parents],
      ),
  },
  {
    child: 'run',
    parent: 'trigger',
    columns: 'org_id,trigger_id',
    givenParent: async (client) => {
      const id = fresh();
      const { orgId, agentId } = at.a;
      await client.query(`INSERT INTO trigger (org_id, id, agent_id, name) VALUES ($1, $2, $3, 'x')`, [
        orgId,
        id,
        agentId,
      ]);
      return id;
    },
    addChildren: async (client, orgId, parents) => {
      const made = await connect();
      const conversationId = orgId === at.a.orgId ? await talk(made) : await talkOfOther(made);
      await made.end();
      return client.query(
        `INSERT INTO run (org_id, id, conversation_id, trigger_id, status, input)
         SELECT $1, id, $2, parent, 'queued', '{}' FROM unnest($3::text[], $4::text[]) AS t(id, parent)`,
        [orgId, conversationId, ids(parents), parents],
      );
    },
  },
];

/** In organization b. */
async function talkOfOther(client: pg.ClientBase): Promise<string> {
  const id = fresh();
  const { orgId, agentId, channelId } = at.b;
  await client.query(
    `WITH p AS (INSERT INTO end_user (org_id, id) VALUES ($1, $2))
    INSERT INTO conversation (org_id, id, agent_id, channel_id, end_user_id) VALUES ($1, $2, $3, $4, $2)`,
    [orgId, id, agentId, channelId],
  );
  return id;
}

test('the catalog lists exactly these references, and each begins with the organization on both sides', async () => {
  const { rows } = await one.query<
    Record<'child' | 'parent', string> & { child_columns: string[]; parent_columns: string[] }
  >(`SELECT child::regclass::text, parent::regclass::text, child_columns, parent_columns
    FROM (${CHECKED_REFERENCES}) k ORDER BY 1, 2`);
  expect(rows.map((row) => [row.child, row.parent, row.child_columns.join()])).toEqual(
    REFERENCES.map(({ child, parent, columns }) => [child, parent, columns]),
  );
  for (const row of rows) expect([row.child_columns[0], row.parent_columns[0]]).toEqual(['org_id', 'org_id']);
});

test('every reference has all its triggers, and each trigger is active', async () => {
  for (const { child, parent } of REFERENCES) {
    const { rows } = await one.query<{ name: string }>(
      `SELECT tgrelid::regclass || ' ' || tgname AS name FROM pg_trigger WHERE tgenabled IN ('O', 'A')
        AND (tgname = $1 OR tgname LIKE $2 || '%' OR tgname = $3) ORDER BY 1`,
      [`${child}_has_parents`, `${parent}_kept_by_${child}`, `${child}_of_${parent}_fixed`],
    );
    expect(rows.map(({ name }) => name).toSorted()).toEqual(
      [
        `${child} ${child}_has_parents`,
        `${child} ${child}_of_${parent}_fixed`,
        `${parent} ${parent}_kept_by_${child}`,
        `${parent} ${parent}_kept_by_${child}_emptied`,
        `${parent} ${parent}_kept_by_${child}_fixed`,
      ].toSorted(),
    );
  }
});

describe.each(REFERENCES.map((reference) => [`${reference.child} to ${reference.parent}`, reference] as const))(
  '%s',
  (_, reference) => {
    const { child, parent, columns, givenParent, addChildren } = reference;
    const orgId = () => at.a.orgId;
    const remove = (client: pg.ClientBase, id: string) => client.query(`DELETE FROM ${parent} WHERE id = $1`, [id]);
    const column = columns.split(',').at(-1)!;

    /** Resolves when a connection waits for a lock. */
    const waits = () =>
      expect
        .poll(async () => {
          const { rows } = await db.$client.query<{ n: number }>(
            `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return rows[0]!.n;
        })
        .toBe(1);

    async function orphans(): Promise<number> {
      const { rows } = await one.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM ${child} c WHERE c.${column} IS NOT NULL
        AND NOT EXISTS (SELECT FROM ${parent} p WHERE p.org_id = c.org_id AND p.id = c.${column})`,
      );
      return rows[0]!.n;
    }
    const noOrphan = async () => {
      await one.query('ROLLBACK');
      await other.query('ROLLBACK');
      expect(await orphans()).toBe(0);
    };
    afterEach(noOrphan);

    test('a child needs its parent, and one wrong child makes the statement fail', async () => {
      const parents = [await givenParent(one), await givenParent(one)];
      await addChildren(one, orgId(), parents);
      await expect(addChildren(one, orgId(), ['nobody'])).rejects.toMatchObject(REFUSED);
      await expect(addChildren(one, orgId(), [...parents, 'nobody'])).rejects.toMatchObject(REFUSED);
    });

    test('a parent of another organization does not satisfy a reference', async () => {
      await expect(addChildren(one, at.b.orgId, [await givenParent(one)])).rejects.toMatchObject(REFUSED);
    });

    test('a parent from the same transaction satisfies a reference until it is deleted', async () => {
      await one.query('BEGIN');
      const id = await givenParent(one);
      await addChildren(one, orgId(), [id]);
      await expect(remove(one, id)).rejects.toMatchObject(REFUSED);
      await one.query('ROLLBACK; BEGIN');
      const gone = await givenParent(one);
      await remove(one, gone);
      await expect(addChildren(one, orgId(), [gone])).rejects.toMatchObject(REFUSED);
    });

    test('a parent with children cannot be deleted, and one without children can', async () => {
      const [full, empty] = [await givenParent(one), await givenParent(one)];
      await addChildren(one, orgId(), [full]);
      await expect(remove(one, full)).rejects.toMatchObject(REFUSED);
      expect((await remove(one, empty)).rowCount).toBe(1);
    });

    test('a deletion waits for a child that is being added, and is then refused', async () => {
      const id = await givenParent(one);
      await one.query('BEGIN');
      await addChildren(one, orgId(), [id]);
      const removing = errorOf(remove(other, id));
      await waits();
      await one.query('COMMIT');
      expect(await removing).toMatchObject(REFUSED);
    });

    test('a new child waits for a deletion of its parent, and is then refused', async () => {
      const id = await givenParent(one);
      await one.query('BEGIN');
      await remove(one, id);
      const adding = errorOf(addChildren(other, orgId(), [id]));
      await waits();
      await one.query('COMMIT');
      expect(await adding).toMatchObject(REFUSED);
    });

    test('a new child waits for a deletion that is rolled back, and is then added', async () => {
      const id = await givenParent(one);
      await one.query('BEGIN');
      await remove(one, id);
      const adding = addChildren(other, orgId(), [id]);
      await waits();
      await one.query('ROLLBACK');
      expect(await adding).toMatchObject({ rowCount: 1 });
    });

    test('a transaction with an old snapshot deletes no parent', async () => {
      const id = await givenParent(one);
      await other.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await other.query('SELECT 1 FROM organization');
      await addChildren(one, orgId(), [id]);
      await expect(remove(other, id)).rejects.toThrow(/READ COMMITTED/);
    });

    test('the columns of both sides never change', async () => {
      const [id, second] = [await givenParent(one), await givenParent(one)];
      await addChildren(one, orgId(), [id]);
      const move = (text: string, values: string[]) => expect(one.query(text, values)).rejects.toMatchObject(REFUSED);
      await move(`UPDATE ${child} SET ${column} = $2 WHERE ${column} = $1`, [id, second]);
      await move(`UPDATE ${child} SET org_id = $2 WHERE ${column} = $1`, [id, at.b.orgId]);
      await move(`UPDATE ${parent} SET id = $2 WHERE id = $1`, [second, fresh()]);
      await move(`UPDATE ${parent} SET org_id = $2 WHERE id = $1`, [second, at.b.orgId]);
      await one.query(`UPDATE ${child} SET ${column} = ${column}, org_id = org_id WHERE ${column} = $1`, [id]);
    });

    test('the table of parents cannot be emptied while there are children', async () => {
      await addChildren(one, orgId(), [await givenParent(one)]);
      await one.query('BEGIN');
      const rest = await one.query<{ list: string | null }>(
        `SELECT string_agg(DISTINCT k.conrelid::regclass::text, ', ') AS list FROM pg_constraint k WHERE k.confrelid = $1::regclass`,
        [parent],
      );
      const all = [parent, ...(rest.rows[0]!.list?.split(', ') ?? [])];
      await expect(one.query(`TRUNCATE ${all.join(', ')} CASCADE`)).rejects.toMatchObject(REFUSED);
    });

    test('every statement that can add rows is checked', async () => {
      const id = await givenParent(one);
      await addChildren(one, orgId(), [id]);
      const { rows } = await one.query<{ list: string }>(
        `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS list FROM pg_attribute
        WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('id', $2)`,
        [child, column],
      );
      const copied = (conflict: string) =>
        one.query(
          `INSERT INTO ${child} (id, ${column}, ${rows[0]!.list}) SELECT $2, 'nobody', ${rows[0]!.list}
          FROM ${child} WHERE ${column} = $1 ${conflict}`,
          [id, fresh()],
        );
      await expect(copied('')).rejects.toMatchObject(REFUSED);
      await expect(copied('ON CONFLICT DO NOTHING')).rejects.toMatchObject(REFUSED);
      await expect(
        one.query(
          `WITH more AS (INSERT INTO ${child} (id, ${column}, ${rows[0]!.list}) SELECT $2, 'nobody', ${rows[0]!.list}
          FROM ${child} WHERE ${column} = $1 RETURNING 1) SELECT count(*) FROM more`,
          [id, fresh()],
        ),
      ).rejects.toMatchObject(REFUSED);
    });
  },
);
