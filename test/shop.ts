import { test } from 'vitest';
import {
  addMember,
  type Client,
  type DashboardServer,
  type Person,
  setUpOwner,
  startDashboard,
} from './dashboard-server.ts';

type Owner = Person & { orgId: string };

/**
 * Runs tests of the dashboard's API with one server per file, and a new organization named Shop on the paid plan for
 * each test.
 */
export const inShop = test
  // oxlint-disable-next-line eslint/no-empty-pattern -- vitest reads from the pattern what a fixture takes
  .extend<'server', DashboardServer>('server', { scope: 'file' }, async ({}, { onCleanup }) => {
    const server = await startDashboard();
    onCleanup(() => server.stop());
    return server;
  })
  /** The first owner of the installation is not a member of the shop. */
  .extend<'operator', Owner>('operator', { scope: 'file' }, ({ server }) => setUpOwner(server))
  .extend('owner', async ({ server, operator }): Promise<Owner> => {
    const { body } = await operator.call('POST /organizations', { name: 'Shop', plan: 'paid' });
    const owner = await addMember(server, operator.call, body.id, 'owner');
    const members = (await owner.call(`GET /organizations/${body.id}/members`)).body.data;
    await operator.call(`DELETE /organizations/${body.id}/members/${members[0].id}`);
    return { ...owner, orgId: body.id };
  })
  /** Makes a call as the shop's owner. */
  .extend('call', ({ owner }): Client => owner.call)
  /** The path of the shop in the API. */
  .extend('at', ({ owner }) => `/organizations/${owner.orgId}`)
  .extend('newAgent', ({ call, at }) => async (definition?: object) => {
    const { body } = await call(`POST ${at}/agents`, { name: 'Concierge', ...(definition && { definition }) });
    return body;
  })
  .extend('revisionOf', ({ server }) => async (agentId: string): Promise<number> => {
    const { rows } = await server.db.$client.query('SELECT revision FROM agent WHERE id = $1', [agentId]);
    return rows[0].revision;
  });

/** Returns the pointers of the faults in a response. */
export const pointersOf = (answer: { body: { errors?: { pointer: string }[] } }) =>
  answer.body.errors?.map(({ pointer }) => pointer);

export const ascending = (a: number, b: number): number => a - b;
