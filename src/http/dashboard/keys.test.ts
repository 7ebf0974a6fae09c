import { describe, expect } from 'vitest';
import { type DashboardServer } from '../../../test/dashboard-server.ts';
import { inShop } from '../../../test/shop.ts';

const admit = ({ access }: DashboardServer, value: string) =>
  access.admit([`Bearer ${value}`], { permission: 'triggers' }, {}, '127.0.0.1');

describe('keys', () => {
  inShop(
    'are created, listed, rotated and revoked, and the value is in one answer only',
    async ({ server, owner, call, at }) => {
      const made = await call(`POST ${at}/keys`, { label: 'Orders', scope: 'organization', permissions: ['triggers'] });
      expect(made.status).toBe(201);
      expect(made.headers.get('cache-control')).toBe('no-store');
      expect(await admit(server, made.body.value)).toMatchObject({ caller: { orgId: owner.orgId } });
      const listed = await call(`GET ${at}/keys?text=Ord&permission=triggers`);
      expect(listed.body.data).toMatchObject([{ id: made.body.id, label: 'Orders', state: 'active' }]);
      expect(JSON.stringify(listed.body)).not.toContain(made.body.value);
      const rotated = await call(`POST ${at}/keys/${made.body.id}/rotate`, { overlap: 'now' });
      expect(rotated.body).toMatchObject({ rotated_from: made.body.id, label: 'Orders' });
      await expect((async () => admit(server, made.body.value))()).rejects.toMatchObject({ code: 'key_revoked' });
      const revoked = await call(`POST ${at}/keys/${rotated.body.id}/revoke`);
      expect(revoked.body).toMatchObject({ state: 'revoked' });
      await expect((async () => admit(server, rotated.body.value))()).rejects.toMatchObject({ code: 'key_revoked' });
    },
  );

  inShop(
    'stop working on the next call after the change to the free plan, and work again after it',
    async ({ server, operator, call, at }) => {
      const { body } = await call(`POST ${at}/keys`, { label: 'K', scope: 'organization', permissions: ['triggers'] });
      await admit(server, body.value);
      await operator.call(`PUT ${at}/plan`, { plan: 'free' });
      await expect((async () => admit(server, body.value))()).rejects.toMatchObject({ code: 'plan_required' });
      await operator.call(`PUT ${at}/plan`, { plan: 'paid' });
      expect(await admit(server, body.value)).toMatchObject({ caller: { plan: 'paid' } });
    },
  );
});
