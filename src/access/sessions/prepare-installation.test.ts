import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { deriveKey } from '../../kernel/seal.ts';
import { type Db, openDb } from '../../store/db.ts';
import { readOperatorId } from '../../store/installation/installation.ts';
import { findMembership, insertOrganization, listMemberships } from '../../store/organizations/organizations.ts';
import { findPersonByEmail } from '../../store/accounts/accounts.ts';
import { createOwner } from './create-owner.ts';
import { prepareInstallation } from '../../../test/prepare-installation.ts';
import { openInstallation } from './prepare-installation.ts';
import { createSessions } from './sessions.ts';
import { setupDigest } from './setup-link.ts';
import { createSignInLimit } from './sign-in-limit.ts';

let database: TestDatabase;
let db: Db;
const setupKey = deriveKey('secret one', 'setup link');
const hashPassword = async (password: string) => `hash of ${password.length}`;
const base = () => ({ db, sessions: { hashPassword }, setupKey, baseUrl: 'http://x.test', region: 'us' as const });
const tokenOf = (url: string | null) => new URL(url!).searchParams.get('token')!;
const claim = (url: string | null, email = 'a@example.qa') =>
  createOwner(
    db,
    { name: 'A', email, passwordHash: 'h', organizationName: 'Acme' },
    setupDigest(setupKey, tokenOf(url)),
  );

beforeEach(async () => {
  database = await createTestDatabase();
  db = openDb(database.url);
});
afterEach(async () => {
  await db.$client.end();
  await database.drop();
});

describe('the setup link', () => {
  it('the setup link creates the first owner, who is the operator of a paid organization', async () => {
    const { setupUrl } = await prepareInstallation({ ...base(), owner: null });
    expect(setupUrl).toMatch(/^http:\/\/x\.test\/setup\?token=[\w-]{43}$/);
    const { person, organizationId } = await claim(setupUrl);
    expect(await readOperatorId(db)).toBe(person.id);
    expect(await findMembership(db, organizationId, person.id)).toMatchObject({
      name: 'Acme',
      plan: 'paid',
      role: 'owner',
    });
    expect(await prepareInstallation({ ...base(), owner: null })).toEqual({ setupUrl: null, created: false });
  });

  it('the setup link works once, even for two simultaneous attempts, and the refused attempt stores nothing', async () => {
    const { setupUrl } = await prepareInstallation({ ...base(), owner: null });
    const outcomes = await Promise.allSettled([claim(setupUrl, 'a@example.qa'), claim(setupUrl, 'b@example.qa')]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const people = [await findPersonByEmail(db, 'a@example.qa'), await findPersonByEmail(db, 'b@example.qa')];
    expect(people.filter(Boolean)).toHaveLength(1);
    await expect(claim(setupUrl, 'c@example.qa')).rejects.toMatchObject({ code: 'setup_closed' });
  });

  it('the setup link does not work after 30 minutes, after a newer link was created, or with another token', async () => {
    const { setupUrl: old } = await prepareInstallation({ ...base(), owner: null });
    const { setupUrl } = await prepareInstallation({ ...base(), owner: null });
    await expect(claim(old)).rejects.toMatchObject({ code: 'setup_closed' });
    await expect(claim('http://x.test/setup?token=guess')).rejects.toMatchObject({ code: 'setup_closed' });
    const { rows } = await db.$client.query(
      'SELECT extract(epoch FROM setup_expires_at - now()) AS left FROM installation',
    );
    expect(Number(rows[0].left)).toBeGreaterThan(29 * 60);
    await db.$client.query("UPDATE installation SET setup_expires_at = now() - interval '1 second'");
    await expect(claim(setupUrl)).rejects.toMatchObject({ code: 'setup_closed' });
  });

  it('nodes that start together show the same link, and a process that shows no link keeps it', async () => {
    const { setupUrl: shown } = await prepareInstallation({ ...base(), owner: null });
    await db.$client.query("INSERT INTO node_lease (node_id, applied_seq) VALUES ('first', 0)");
    expect((await prepareInstallation({ ...base(), owner: null })).setupUrl).toBe(shown);
    const silent = await prepareInstallation({ ...base(), owner: null, showsLink: false });
    expect(silent.setupUrl).toBeNull();
    // A stopped node no longer shows a link.
    await db.$client.query("UPDATE node_lease SET renewed_at = now() - interval '1 minute'");
    expect((await prepareInstallation({ ...base(), owner: null, showsLink: false })).setupUrl).toBeNull();
    const { setupUrl: renewed } = await prepareInstallation({ ...base(), owner: null });
    expect(renewed).not.toBe(shown);
    await expect(claim(shown)).rejects.toMatchObject({ code: 'setup_closed' });
    await claim(renewed);
  });

  it('the setup link cannot be read from the database', async () => {
    const { setupUrl } = await prepareInstallation({ ...base(), owner: null });
    const { rows } = await db.$client.query('SELECT * FROM installation');
    expect(JSON.stringify(rows)).not.toContain(tokenOf(setupUrl));
    expect(rows[0].setup_digest).toEqual(setupDigest(setupKey, tokenOf(setupUrl)));
  });
});

describe('an owner given by the environment', () => {
  const owner = { email: 'Op@example.qa', password: 'long enough' };

  it('the owner is created once at start, without a link', async () => {
    expect(await prepareInstallation({ ...base(), owner })).toEqual({ setupUrl: null, created: true });
    expect(await prepareInstallation({ ...base(), owner })).toEqual({ setupUrl: null, created: false });
    expect((await findPersonByEmail(db, 'op@example.qa'))?.id).toBe(await readOperatorId(db));
  });

  it('the owner is not created with a password that is easy to guess, and the start reports it', async () => {
    const limit = createSignInLimit();
    const sessions = createSessions({ db, secret: 'x'.repeat(40), baseUrl: 'http://x.test', limit, log: () => {} });
    const common = { ...owner, password: 'password123' };
    await expect(prepareInstallation({ ...base(), sessions, owner: common })).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringContaining('PARLEY_OWNER_PASSWORD'),
    });
    expect(await readOperatorId(db)).toBeNull();
  });

  it('the owner gets the demo organization, and no further organization is created', async () => {
    const demo = async () => void (await insertOrganization(db, { name: 'Demo', plan: 'paid' }));
    await prepareInstallation({ ...base(), owner, demo });
    const operatorId = (await readOperatorId(db))!;
    const { rows } = await listMemberships(db, operatorId, null, { limit: 10, after: null });
    expect(rows).toMatchObject([{ name: 'Demo', role: 'owner' }]);
  });

  it('many nodes that start together create the owner once', async () => {
    const made = await Promise.all([1, 2, 3, 4].map(() => prepareInstallation({ ...base(), owner })));
    expect(made.filter(({ created }) => created)).toHaveLength(1);
  });
});

describe('a start on a database that is not ours', () => {
  it('the start reports a different secret or region', async () => {
    await openInstallation(base());
    await expect(openInstallation({ ...base(), setupKey: deriveKey('secret two', 'setup link') })).rejects.toThrow(
      /PARLEY_SECRET/,
    );
    await expect(openInstallation({ ...base(), region: 'qa' })).rejects.toThrow(/"us".*"qa"/);
  });
});
