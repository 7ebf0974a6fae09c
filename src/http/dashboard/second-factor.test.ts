import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DASHBOARD_ROUTES, type DashboardRoute } from '../../../contract/dashboard/routes.ts';
import {
  type Client,
  type DashboardServer,
  PASSWORD,
  type Person,
  addMember,
  setUpOwner,
  startDashboard,
} from '../../../test/dashboard-server.ts';
import { listen } from '../../../test/event-stream.ts';
import { signLink } from '../../access/sessions/signed-link.ts';
import { resetSecondFactor } from '../../features/second-factor/reset-second-factor.ts';
import { SYSTEM } from '../../store/organizations/audit.ts';
import { readPasswordHash } from '../../store/accounts/passwords.ts';

let server: DashboardServer;
let owner: Person & { orgId: string };
beforeAll(async () => {
  server = await startDashboard();
  owner = await setUpOwner(server);
});
afterAll(() => server.stop());
afterEach(async () => {
  await sql('UPDATE organization SET requires_second_factor = false');
});

const STEP_MS = 30_000;
const nobody: Client = (...call) => server.as(null)(...call);
const signIn = (email: string, password = PASSWORD) => nobody('POST /sign-in', { email, password });
const withCode = (challenge: string, code: string) => nobody('POST /sign-in/code', { challenge, code });
const sql = (text: string, ...values: unknown[]) => server.db.$client.query(text, values);

/** A typical authenticator app. `code(1)` is the next code, which is accepted early. */
class App {
  readonly #totp: TOTP;
  constructor(secret: string) {
    this.#totp = new TOTP({ secret: Secret.fromBase32(secret) });
  }
  code = (steps = 0): string => this.#totp.generate({ timestamp: Date.now() + steps * STEP_MS });
}

/** As if the last code was used long ago. */
const forgetCodes = (userId: string) =>
  sql('UPDATE second_factor SET last_step = 0, failures = 0, wait_until = NULL WHERE user_id = $1', userId);

async function enrol(person: Person): Promise<{ app: App; recovery: string[] }> {
  const begun = await person.call('POST /second-factor/authenticator', { password: PASSWORD });
  expect(begun.status).toBe(201);
  const app = new App(begun.body.secret);
  const { status, body } = await person.call('POST /second-factor/authenticator/confirm', { code: app.code() });
  expect(status).toBe(200);
  await forgetCodes(person.id);
  return { app, recovery: body.recovery_codes };
}

const newMember = (role = 'member') => addMember(server, owner.call, owner.orgId, role);

describe('setting up an authenticator app', () => {
  it('setting up requires the password again, and takes effect only after a correct code', async () => {
    const person = await newMember();
    const begin = (password?: string) => person.call('POST /second-factor/authenticator', { password });
    expect(await begin('not the password')).toMatchObject({ status: 401, body: { code: 'sign_in_failed' } });
    expect(await begin()).toMatchObject({ status: 422, body: { errors: [{ pointer: '/password' }] } });
    const { body } = await begin(PASSWORD);
    expect(body.uri).toContain(body.secret);
    expect((await signIn(person.email)).status).toBe(200);
    const confirm = (code: string) => person.call('POST /second-factor/authenticator/confirm', { code });
    const app = new App(body.secret);
    const wrong = String((Number(app.code()) + 1) % 1_000_000).padStart(6, '0');
    const detail = 'Enter the code that your app shows now.';
    expect(await confirm(wrong)).toMatchObject({ status: 401, body: { code: 'second_factor_failed', detail } });
    expect((await confirm(app.code())).body.recovery_codes).toHaveLength(10);
    expect((await begin(PASSWORD)).body.code).toBe('already_exists');
  });

  it('setting up ends every session of the person except the current one', async () => {
    const person = await newMember();
    const other = server.as((await signIn(person.email)).cookie);
    await enrol(person);
    expect((await other('GET /session')).status).toBe(401);
    expect((await person.call('GET /session')).status).toBe(200);
  });

  it('no readable value is stored: the secret is sealed, and recovery codes are digests', async () => {
    const person = await newMember();
    const begun = await person.call('POST /second-factor/authenticator', { password: PASSWORD });
    const app = new App(begun.body.secret);
    const { body } = await person.call('POST /second-factor/authenticator/confirm', { code: app.code() });
    const { rows } = await sql('SELECT row_to_json(s) AS kept FROM second_factor s WHERE user_id = $1', person.id);
    const raw = Secret.fromBase32(begun.body.secret);
    for (const form of [begun.body.secret, raw.hex, Buffer.from(raw.bytes).toString('base64url')])
      expect(JSON.stringify(rows).toLowerCase()).not.toContain(form.toLowerCase());
    const codes = await sql("SELECT encode(digest, 'escape') AS kept FROM recovery_code WHERE user_id = $1", person.id);
    for (const code of body.recovery_codes) expect(JSON.stringify(codes.rows)).not.toContain(code);
  });

  it('every change of a second factor is in the audit log of each organization of the person', async () => {
    const person = await newMember();
    const { app, recovery } = await enrol(person);
    const { body } = await signIn(person.email);
    await withCode(body.challenge, recovery[0]!);
    await person.call('POST /second-factor/recovery-codes', { password: PASSWORD });
    await person.call('POST /second-factor/authenticator/remove', { password: PASSWORD, code: app.code() });
    const { body: audit } = await owner.call(`GET /organizations/${owner.orgId}/audit?subject_id=${person.id}`);
    expect(audit.data.map(({ action }: { action: string }) => action)).toEqual([
      'second_factor.disabled',
      'second_factor.recovery_codes_renewed',
      'second_factor.recovery_code_used',
      'second_factor.enabled',
    ]);
  });
});

describe('signing in with a second factor', () => {
  it('the password alone opens no session, but the password and a code do', async () => {
    const person = await newMember();
    const { app } = await enrol(person);
    const begun = await signIn(person.email);
    expect(begun).toMatchObject({ status: 202, cookie: null, body: { authenticator: true, passkey: false } });
    expect(begun.headers.getSetCookie()).toEqual([]);
    const entered = await withCode(begun.body.challenge, app.code());
    expect(entered).toMatchObject({ status: 200, body: { user: { id: person.id } } });
    expect((await server.as(entered.cookie)('GET /session')).status).toBe(200);
  });

  it('each code is accepted once, even if it is sent twice at the same time', async () => {
    const person = await newMember();
    const { app } = await enrol(person);
    const { body } = await signIn(person.email);
    const code = app.code();
    const both = await Promise.all([withCode(body.challenge, code), withCode(body.challenge, code)]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
    expect((await withCode(body.challenge, code)).body.code).toBe('second_factor_failed');
    expect((await withCode(body.challenge, app.code(-1))).body.code).toBe('second_factor_failed');
    expect((await withCode(body.challenge, app.code(1))).status).toBe(200);
  });

  it('each recovery code is accepted once, in any spelling', async () => {
    const person = await newMember();
    const { recovery } = await enrol(person);
    const { body } = await signIn(person.email);
    const typed = recovery[0]!.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l');
    expect((await withCode(body.challenge, typed)).status).toBe(200);
    expect((await withCode(body.challenge, recovery[0]!)).body.code).toBe('second_factor_failed');
    expect((await withCode(body.challenge, recovery[1]!)).status).toBe(200);
    expect((await person.call('GET /second-factor')).body.recovery_codes_left).toBe(8);
  });

  it('a person who guesses codes must wait longer after each one, and a recovery code still works', async () => {
    const person = await newMember();
    const { app, recovery } = await enrol(person);
    const { body } = await signIn(person.email);
    const wrong = String((Number(app.code()) + 7) % 1_000_000).padStart(6, '0');
    for (let n = 0; n < 5; n++) expect((await withCode(body.challenge, wrong)).body.code).toBe('second_factor_failed');
    const waiting = await withCode(body.challenge, app.code());
    expect(waiting).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(30);
    expect((await withCode(body.challenge, recovery[0]!)).status).toBe(200);
    await sql('UPDATE second_factor SET wait_until = now() WHERE user_id = $1', person.id);
    expect((await withCode(body.challenge, wrong)).body.code).toBe('second_factor_failed');
    const longer = await withCode(body.challenge, app.code());
    expect(Number(longer.headers.get('retry-after'))).toBeGreaterThan(60);
    await sql('UPDATE second_factor SET wait_until = now() WHERE user_id = $1', person.id);
    expect((await withCode(body.challenge, app.code())).status).toBe(200);
  });

  it('a challenge is refused if it was changed, is of another person, or precedes a password change', async () => {
    const [person, other] = [await newMember(), await newMember()];
    const { app } = await enrol(person);
    const theirs = await enrol(other);
    const { challenge } = (await signIn(person.email)).body;
    const forged = [
      challenge.replace(person.id, other.id),
      `${challenge}x`,
      challenge.replace(/\.\d+\./, '.9999999999.'),
    ];
    for (const each of [...forged, 'x', 'a.b.c'])
      expect((await withCode(each, app.code())).body.code).toBe('second_factor_expired');
    expect((await withCode(challenge, theirs.app.code())).body.code).toBe('second_factor_failed');
    await person.call('PUT /password', { current_password: PASSWORD, new_password: 'another horse battery' });
    expect((await withCode(challenge, app.code())).body.code).toBe('second_factor_expired');
  });

  it('a second factor is required after a password link, which sets the password', async () => {
    const person = await newMember();
    const { app } = await enrol(person);
    const until = { userId: person.id, expiresAt: new Date(Date.now() + 60_000) };
    const hash = (await readPasswordHash(server.db, person.id))!;
    const link = signLink(server.secrets.setupKey, 'password', until, hash);
    const set = await nobody(`POST /password-links/${link}`, { password: 'a horse of another colour' });
    expect(set).toMatchObject({ status: 202, cookie: null });
    expect((await signIn(person.email)).status).toBe(401);
    expect((await withCode(set.body.challenge, app.code())).status).toBe(200);
  });

  it('a second factor is required before an invitation is accepted', async () => {
    const person = await newMember();
    const { app } = await enrol(person);
    const { body: org } = await owner.call('POST /organizations', { name: 'Second' });
    const { body: made } = await owner.call(`POST /organizations/${org.id}/invitations`, {
      email: person.email,
      role: 'viewer',
    });
    const path = `POST /invitations/${new URL(made.url).pathname.split('/').at(-1)!}/join`;
    const begun = await signIn(person.email);
    expect(begun).toMatchObject({ status: 202, cookie: null });
    expect((await nobody(path)).body.code).toBe('session_missing');
    const { cookie } = await withCode(begun.body.challenge, app.code());
    const viewer = server.as(cookie);
    expect((await viewer(path)).status).toBe(200);
    // Admins and owners see who has a factor; to a viewer it would name the accounts to attack.
    const seenBy = async (call: Client) => {
      const { data } = (await call(`GET /organizations/${org.id}/members`)).body;
      return Object.fromEntries(data.map((one: Record<string, unknown>) => [one['email'], one['second_factor']]));
    };
    expect(await seenBy(owner.call)).toEqual({ [owner.email]: false, [person.email]: true });
    expect(await seenBy(viewer)).toEqual({ [owner.email]: null, [person.email]: null });
  });

  it('a sign-in that was in progress when the factor was set up gets no session', async () => {
    const person = await newMember();
    const begun = await person.call('POST /second-factor/authenticator', { password: PASSWORD });
    const app = new App(begun.body.secret);
    const [entering] = await Promise.all([
      signIn(person.email),
      person.call('POST /second-factor/authenticator/confirm', { code: app.code() }),
    ]);
    const opened = entering.cookie === null ? 401 : (await server.as(entering.cookie)('GET /session')).status;
    expect(opened).toBe(401);
  });
});

describe('removing it', () => {
  it('removing requires the password and a code, and leaves an account without a factor', async () => {
    const person = await newMember();
    const { app, recovery } = await enrol(person);
    const remove = (body: object) => person.call('POST /second-factor/authenticator/remove', body);
    expect((await remove({ code: app.code() })).status).toBe(422);
    expect((await remove({ password: 'not the password', code: app.code() })).body.code).toBe('sign_in_failed');
    expect((await remove({ password: PASSWORD, code: '000000' })).body.code).toBe('second_factor_failed');
    expect((await remove({ password: PASSWORD, code: recovery[0] })).status).toBe(204);
    expect((await person.call('GET /second-factor')).body).toMatchObject({
      authenticator: null,
      recovery_codes_left: 0,
    });
    expect((await signIn(person.email)).status).toBe(200);
  });

  it('only the operator of the server can remove a factor from outside, which ends every session', async () => {
    const person = await newMember();
    await enrol(person);
    expect(await resetSecondFactor(server, person.id, SYSTEM)).toBe(true);
    expect(await resetSecondFactor(server, person.id, SYSTEM)).toBe(false);
    expect((await person.call('GET /session')).status).toBe(401);
    expect((await signIn(person.email)).status).toBe(200);
    const { body } = await owner.call(`GET /organizations/${owner.orgId}/audit?subject_id=${person.id}`);
    expect(body.data[0]).toMatchObject({ action: 'second_factor.reset' });
  });
});

describe('an organization that requires it', () => {
  const require = (call: Client, required: boolean) =>
    call(`PUT /organizations/${owner.orgId}/second-factor`, { required });
  const inOrg = Object.entries<DashboardRoute>(DASHBOARD_ROUTES).filter(([, { path }]) =>
    path.startsWith('/organizations/:org_id'),
  );

  it('only an owner with a second factor can require one', async () => {
    const admin = await newMember('admin');
    expect((await require(admin.call, true)).body.code).toBe('role_missing');
    const without = await newMember('owner');
    expect((await require(without.call, true)).body.code).toBe('second_factor_required');
    expect((await owner.call(`GET /organizations/${owner.orgId}`)).body.requires_second_factor).toBe(false);
  });

  it('a session without a second factor is refused on all routes of the organization, and only there', async () => {
    const boss = await newMember('owner');
    await enrol(boss);
    const person = await newMember('owner');
    const elsewhere = await person.call('POST /organizations', { name: 'Mine' });
    expect(elsewhere.status).toBe(201);
    expect((await require(boss.call, true)).body).toMatchObject({ requires_second_factor: true });
    for (const [name, route] of inOrg) {
      const path = route.path.replace(':org_id', owner.orgId).replaceAll(/:\w+/g, 'x');
      const { status, body } = await person.call(`${route.method} ${path}`, route.body ? {} : undefined);
      expect([name, status, body?.code]).toEqual([name, 403, 'second_factor_required']);
    }
    expect((await person.call(`GET /organizations/${elsewhere.body.id}/overview`)).status).toBe(200);
    const { body: view } = await person.call('GET /session');
    const required = (id: string) => view.organizations.find((one: { id: string }) => one.id === id);
    expect(required(owner.orgId)).toMatchObject({ second_factor_required: true });
    expect(required(elsewhere.body.id)).toMatchObject({ second_factor_required: false });
    await enrol(person);
    expect((await person.call(`GET /organizations/${owner.orgId}`)).status).toBe(200);
    expect((await require(boss.call, false)).status).toBe(200);
  });

  it('a session with a second factor is accepted until the factor is removed', async () => {
    const boss = await newMember('owner');
    const { app } = await enrol(boss);
    await require(boss.call, true);
    const { body } = await signIn(boss.email);
    const { cookie } = await withCode(body.challenge, app.code());
    const read = () => server.as(cookie)(`GET /organizations/${owner.orgId}`);
    expect((await read()).status).toBe(200);
    await require(boss.call, false);
    await boss.call('POST /second-factor/authenticator/remove', { password: PASSWORD, code: app.code(1) });
    await sql('UPDATE organization SET requires_second_factor = true WHERE id = $1', owner.orgId);
    expect((await read()).body.code).toBe('second_factor_required');
  });

  it('the stream of changes ends for a session without a second factor', async () => {
    const boss = await newMember('owner');
    await enrol(boss);
    const person = await newMember();
    const stream = await listen(`${server.url}/organizations/${owner.orgId}/changes?topics=conversations`, {
      cookie: person.cookie,
    });
    expect(stream.status).toBe(200);
    // The session holds at the first look, and no longer at the next one.
    await stream.next();
    await require(boss.call, true);
    await stream.ended;
    expect(stream.events.map(({ event }) => event)).toContain('changed');
  });
});

describe('a passkey', () => {
  it('adding a passkey requires the password, or a recently opened session', async () => {
    const person = await newMember();
    expect((await person.call('POST /second-factor/passkeys/options', {})).status).toBe(200);
    await sql("UPDATE session SET created_at = now() - interval '11 minutes' WHERE user_id = $1", person.id);
    expect((await person.call('POST /second-factor/passkeys/options', {})).status).toBe(422);
    const { status, body } = await person.call('POST /second-factor/passkeys/options', { password: PASSWORD });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      rp: { id: 'us.parley.example' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  });

  it('an unknown passkey, or an invalid answer, is refused like any other', async () => {
    const junk = { id: Buffer.from(randomUUID()).toString('base64url'), client_data: 'e30', signature: 'AAAA' };
    const { body: options } = await nobody('POST /sign-in/passkey/options');
    expect(options).toMatchObject({ rpId: 'us.parley.example', userVerification: 'required' });
    expect(options.allowCredentials ?? []).toEqual([]);
    const answer = await nobody('POST /sign-in/passkey', { ...junk, authenticator_data: 'AAAA' });
    expect(answer).toMatchObject({ status: 401, body: { code: 'passkey_refused' } });
    const added = await (
      await newMember()
    ).call('POST /second-factor/passkeys', {
      name: 'Key',
      credential: { id: junk.id, client_data: 'e30', attestation: 'oA', transports: [] },
    });
    expect(added).toMatchObject({ status: 401, body: { code: 'passkey_refused' } });
  });
});
