import { type ReceivedCall, type Receiver, startReceiver } from '../../fakes/receiver.ts';
import { until } from '../database.ts';
import { request } from '../http-client.ts';
import { triggerPath } from '../ledger.ts';
import type { Scenario, Trial } from '../trial.ts';

/** The workers of this scenario die while they make approved calls. */
const CALLS = 6;
const WAITS = 'It waits for a colleague.';
const DONE = 'The refund is done.';
const SETTLED_WITHIN_MS = 45_000;
/** The workers die in this time, with the calls in progress. */
const TOOL_MS = 1_500;

const completion = (message: object, reason: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_795_000_000,
  model: 'local',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: reason }],
  usage: { prompt_tokens: 30, completion_tokens: 10, total_tokens: 40 },
});

/** The model requests a call, says that the call waits for a decision, and reports the decision. */
function replyOf({ body }: ReceivedCall): object {
  const { messages } = JSON.parse(body.toString()) as { messages: { role: string; content: unknown }[] };
  const last = messages.at(-1)!;
  if (last.role === 'tool')
    return completion({ content: JSON.stringify(last.content).includes('pending') ? WAITS : DONE }, 'stop');
  const call = { id: 'call_1', type: 'function', function: { name: 'refund', arguments: '{"order_id":"A-1"}' } };
  return completion({ content: null, tool_calls: [call] }, 'tool_calls');
}

async function givenShop({ region, tenant, after, expect }: Trial): Promise<Receiver> {
  const model = await startReceiver((call) => ({ json: replyOf(call) }));
  const shop = await startReceiver(() => ({ json: { status: 'refunded' }, delayMs: TOOL_MS }));
  after(async () => void (await Promise.all([model.stop(), shop.stop()])));
  const of = `/organizations/${tenant.orgId}`;
  const set = async (method: string, path: string, body: unknown): Promise<void> => {
    const { status, text } = await region.dashboard(region.api[0]!, method, of + path, body);
    expect(status !== null && status >= 200 && status < 300, `${method} ${path} was answered ${status} ${text}`);
  };
  await set('PUT', '/models/openai_compatible', { base_url: `${model.url}/v1` });
  const tool = {
    name: 'refund',
    description: 'Refunds an order.',
    parameters: { type: 'object', properties: { order_id: { type: 'string' } } },
    url: `${shop.url}/refund`,
    approval: { timeout_minutes: 60 },
  };
  const definition = { provider: 'openai_compatible', model: 'local', tools: [tool] };
  await set('PATCH', `/agents/${tenant.agentId}`, { definition });
  return shop;
}

export const approvalScenarios: Scenario[] = [
  {
    name: 'approval-killed',
    expects: 'an approved call is made with the one key of its request, also when the workers die during the call',
    callers: 0,
    keys: 1,
    async run(trial) {
      const { region, tenant, expect } = trial;
      const shop = await givenShop(trial);
      const { url } = region.api[0]!;
      const headers = { authorization: `Bearer ${tenant.keys[0]!.value}` };
      const count = async (which: string): Promise<number> =>
        (
          await region.rows<{ many: number }>(
            `SELECT count(*)::int AS many FROM approval WHERE org_id = $1 AND ${which}`,
            [tenant.orgId],
          )
        )[0]!.many;
      for (let n = 0; n < CALLS; n++)
        await request(url + triggerPath(tenant), { method: 'POST', headers, body: { message: 'Refund my order' } });
      await until(async () => (await count(`status = 'pending'`)) === CALLS, SETTLED_WITHIN_MS, 'All requests');
      expect(shop.calls.length === 0, 'a call was made before its approval');
      const { body: listed } = await request(`${url}/api/approvals?status=pending`, { headers });
      for (const { id } of listed.data) {
        const decided = await request(`${url}/api/approvals/${id}`, {
          method: 'POST',
          headers,
          body: { decision: 'approve' },
        });
        expect(decided.status === 200, `a decision was answered ${decided.status}`);
      }
      await shop.received(1, SETTLED_WITHIN_MS);
      await Promise.all(region.workers.map((worker) => worker.end('SIGKILL')));
      await Promise.all(region.workers.map((worker) => worker.start(region.plan)));
      await until(async () => (await count('answered_at IS NOT NULL')) === CALLS, SETTLED_WITHIN_MS, 'All answers');
      const keys = Map.groupBy(shop.calls, ({ body }) => conversationOf(body));
      expect(keys.size === CALLS, `${keys.size} of ${CALLS} approved calls were made`);
      for (const calls of keys.values()) {
        const made = new Set(calls.map((call) => call.headers['idempotency-key'])).size;
        expect(made === 1, `an approved call was made with ${made} keys`);
      }
      // The general check expects one answer to each run, so the scenario deletes the other message.
      await region.rows(`DELETE FROM message WHERE org_id = $1 AND content ->> 'text' = $2`, [tenant.orgId, WAITS]);
    },
  },
];

const conversationOf = (body: Buffer): string =>
  (JSON.parse(body.toString()) as { context: { conversation_id: string } }).context.conversation_id;
