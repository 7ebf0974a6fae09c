import { newWebhookSecret } from '../../src/kernel/standard-webhooks.ts';
import { givenChannel } from '../factories.ts';
import { type Receiver, startReceiver } from '../fakes/receiver.ts';
import { until } from './database.ts';
import { request } from './http-client.ts';
import type { Node } from './node.ts';
import type { Trial } from './trial.ts';

/** Sends over a channel, and records the messages that the customer's endpoint received. */
export type Deliveries = {
  receiver: Receiver;
  path: string;
  send(node: Node): Promise<void>;
  /**
   * Every accepted message must arrive. A message may arrive more than once only if a process died, and the repeat is
   * marked.
   */
  check(crashes: number): Promise<void>;
};

const ARRIVED_WITHIN_MS = 60_000;

export async function startDeliveries(trial: Trial, answer?: Receiver['answer']): Promise<Deliveries> {
  const { region, tenant, expect } = trial;
  const receiver = await startReceiver(answer);
  const channelId = await region.withDb((db) =>
    givenChannel(db, tenant.orgId, tenant.agentId, {
      kind: 'webhook',
      settings: { url: `${receiver.url}/hook` },
      secrets: { secret: newWebhookSecret() },
      sealingKey: region.secrets.sealingKey,
    }),
  );
  const path = `/api/channels/${tenant.agentId}/${channelId}/messages`;
  const accepted = new Set<string>();
  let sent = 0;
  return {
    receiver,
    path,
    async send(node) {
      const n = ++sent;
      // A scenario that sends never revokes the last key.
      const authorization = `Bearer ${tenant.keys.at(-1)!.value}`;
      const made = await request(node.url + path, {
        method: 'POST',
        headers: { authorization, 'idempotency-key': `${tenant.orgId}-send-${n}` },
        body: { to: { end_user: { external_id: `person-${n % 7}` } }, content: { type: 'text', text: `Message ${n}` } },
      });
      if (made.status === 202) accepted.add(made.body.id);
      const isTrue = made.status === 202 || made.status === 503 || made.status === null || made.status === 0;
      expect(isTrue, `a send was answered ${made.status} ${made.body?.code}`);
    },
    async check(crashes) {
      type Row = { id: string; status: string; duplicate: boolean };
      const read = () =>
        region.rows<Row>(
          `SELECT id, status, possible_duplicate AS duplicate FROM message WHERE org_id = $1 AND id = ANY ($2)`,
          [tenant.orgId, [...accepted]],
        );
      await until(async () => (await read()).every(({ status }) => status !== 'queued'), ARRIVED_WITHIN_MS, 'Sending');
      const rows = await read();
      expect(rows.length === accepted.size, `${accepted.size - rows.length} acknowledged messages are lost`);
      const seen = Map.groupBy(receiver.calls, ({ headers }) => String(headers['webhook-id']));
      let surplus = 0;
      for (const { id, status, duplicate } of rows) {
        const times = seen.get(id)?.length ?? 0;
        surplus += Math.max(0, times - 1);
        expect(status === 'sent' && times > 0, `message ${id} is "${status}" and arrived ${times} times`);
        expect(times <= 1 + crashes, `message ${id} arrived ${times} times with ${crashes} crashes`);
        expect(
          times <= 1 || duplicate,
          `message ${id} arrived ${times} times and is not marked as a possible duplicate`,
        );
      }
      expect(surplus === 0 || crashes > 0, `${surplus} messages arrived twice, and no process died`);
      await receiver.stop();
    },
  };
}
