import { givenChannel } from '../../test/factories.ts';
import { compare, type Plan, comparisonText } from '../compare.ts';
import { startBare, startProgram } from '../program.ts';

/**
 * Measures channel sends, which get 202 after the commit of message, person, conversation and entry in the delivery
 * queue.
 */
export async function send(plan: Plan): Promise<string[]> {
  await using bare = await startBare();
  await using program = await startProgram('api');
  const agentId = program.triggerPath.split('/')[3]!;
  // There is no delivery worker in this process, because only accepting is measured.
  const channelId = await givenChannel(program.db, program.orgId, agentId, {
    kind: 'webhook',
    settings: { url: 'https://example.com/' },
  });
  const lines: string[] = [];
  const headers = { Authorization: `Bearer ${program.key}`, 'Content-Type': 'application/json' };
  const measure = async (name: string, to: string, more = {}) => {
    const path = `/api/channels/${agentId}/${channelId}/messages`;
    const body = `{"to":${to},"content":{"type":"text","text":"Your order shipped"}}`;
    const shot = { method: 'POST' as const, path, headers: { ...headers, ...more }, body };
    lines.push(comparisonText(name, await compare(plan, bare.origin, program.origin, shot)));
  };
  await measure('end_user.external_id, new', '{"end_user":{"external_id":"crm-{n}"}}');
  await measure('one known person', '{"end_user":{"external_id":"crm-1"}}');
  await measure('address, new, Idempotency-Key', '{"address":"x-{n}"}', { 'Idempotency-Key': '{n}' });
  return lines;
}
