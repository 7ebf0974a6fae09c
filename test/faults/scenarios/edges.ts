import { signWebhook } from '../../../src/kernel/standard-webhooks.ts';
import { givenChannel } from '../../factories.ts';
import { startReceiver } from '../../fakes/receiver.ts';
import { until } from '../database.ts';
import { startDeliveries } from '../deliveries.ts';
import { request } from '../http-client.ts';
import { call, triggerPath } from '../ledger.ts';
import { LOW_LIMIT } from '../region.ts';
import type { Scenario } from '../trial.ts';

/** Tests guarantees about edge cases that a planted bug breaks, without load and network faults. */
export const edgeScenarios: Scenario[] = [
  {
    name: 'same-key',
    expects: 'one Idempotency-Key at all nodes at the same moment gives one run',
    callers: 0,
    async run({ region, tenant, ledger }) {
      for (let n = 0; n < 25; n++) {
        const name = `${tenant.orgId}-same-${n}`;
        await Promise.all(region.api.map((node) => call(ledger, tenant, node, n, 'trigger', name)));
      }
    },
  },
  {
    name: 'tenants',
    expects: 'records of another organization are not found',
    callers: 0,
    keys: 5,
    async run({ region, tenant, expect }) {
      const other = await region.tenant(1);
      const headers = { authorization: `Bearer ${other.keys[0]!.value}` };
      for (const node of region.api) {
        const paths = [
          ['POST', triggerPath(tenant)],
          ['GET', `${triggerPath(tenant)}/runs`],
          ['GET', `/api/channels/${tenant.agentId}`],
        ] as const;
        for (const [method, path] of paths) {
          const answer = await request(node.url + path, { method, headers });
          const isHidden = answer.status === 404 && answer.body.code === 'agent_not_found';
          expect(isHidden, `${method} of another organization's agent: ${answer.status} ${answer.body?.code ?? ''}`);
        }
      }
    },
  },
  {
    name: 'limits',
    expects: 'all nodes together accept no more calls per minute than the limit',
    callers: 0,
    async run({ region, tenant, random, expect }) {
      const key = tenant.keys[random.between(0, tenant.keys.length - 1)]!;
      const headers = { authorization: `Bearer ${key.value}` };
      // Each node knows from its renewals how many nodes there are.
      const answers = await Promise.all(
        region.api.flatMap((node) =>
          Array.from({ length: LOW_LIMIT }, () => request(`${node.url}/api/end-users?limit=1`, { headers })),
        ),
      );
      const accepted = answers.filter(({ status }) => status === 200).length;
      const others = answers.filter(({ status }) => status !== 200 && status !== 429);
      expect(accepted <= LOW_LIMIT, `${accepted} calls were accepted where ${LOW_LIMIT} are allowed`);
      expect(accepted >= LOW_LIMIT - region.api.length, `only ${accepted} of ${LOW_LIMIT} calls were accepted`);
      expect(others.length === 0, `a call over the limit was answered ${others[0]?.status}`);
    },
  },
  {
    name: 'cancel-in-turn',
    expects: 'a run that is cancelled while a worker holds it stays cancelled and sends nothing',
    callers: 0,
    async run({ region, tenant, expect }) {
      // The workers claim the run but get the answer late.
      for (const { proxy } of region.workers)
        proxy.set({ kind: 'delay', ms: 400 }, { direction: 'down', only: 'parley worker' });
      const headers = { authorization: `Bearer ${tenant.keys[0]!.value}` };
      const url = region.api[0]!.url + triggerPath(tenant);
      const accepted = await request(url, { method: 'POST', headers });
      const run = async () =>
        (
          await region.rows<{ status: string; messages: number }>(
            `SELECT status, (SELECT count(*) FROM message m WHERE m.run_id = r.id)::int AS messages FROM run r WHERE id = $1`,
            [accepted.body.id],
          )
        )[0]!;
      await until(async () => (await run()).status === 'running', 10_000, 'Taking the run');
      const cancelled = await request(`${url}/runs/${accepted.body.id}/cancel`, { method: 'POST', headers });
      expect(cancelled.body?.status === 'cancelled', `the cancel was answered ${cancelled.status} ${cancelled.text}`);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      const { status, messages } = await run();
      expect(status === 'cancelled' && messages === 0, `the cancelled run is "${status}" with ${messages} messages`);
      // The checker requires an answer to every run, but this run is an exception.
      await region.rows('DELETE FROM run WHERE id = $1', [accepted.body.id]);
    },
  },
  {
    name: 'redirect',
    expects: 'a redirect of an endpoint is not followed',
    callers: 0,
    async run(trial) {
      const forbidden = await startReceiver();
      const headers = { location: `${forbidden.url}/metadata` };
      const deliveries = await startDeliveries(trial, () => ({ status: 307, headers }));
      await deliveries.send(trial.region.api[0]!);
      await deliveries.receiver.received(1);
      await trial.pause(700);
      trial.expect(forbidden.calls.length === 0, 'a redirect was followed');
      await forbidden.stop();
      await deliveries.receiver.stop();
    },
  },
  {
    name: 'signature',
    expects: 'a signature of a customer is verified over the raw bytes, with any white space',
    callers: 0,
    async run({ region, tenant, expect }) {
      const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
      const channelId = await region.withDb((db) =>
        givenChannel(db, tenant.orgId, tenant.agentId, {
          kind: 'webhook',
          settings: { url: 'http://127.0.0.1:9/' },
          secrets: { secret },
          sealingKey: region.secrets.sealingKey,
        }),
      );
      const body = '{ "type" : "message",\n  "address": "crm-42", "text": "caf\\u00e9 1.0" }';
      for (const [sent, wanted] of [
        [body, 200],
        [body.replace('crm-42', 'crm-43'), 401],
      ] as const) {
        const answer = await request(`${region.api[0]!.url}/inbound/webhook/${channelId}`, {
          method: 'POST',
          headers: signWebhook(secret, 'msg_1', new Date(), body),
          body: sent,
        });
        expect(answer.status === wanted, `a signed call was answered ${answer.status} instead of ${wanted}`);
      }
    },
  },
];
