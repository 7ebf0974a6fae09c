import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EndUsersApi, people, startEndUsersApi } from '../../../../test/end-users-api.ts';

let triggerPath: EndUsersApi['triggerPath'];
let call: EndUsersApi['call'];
let parley: EndUsersApi['parley'];

beforeAll(async () => {
  ({ triggerPath, call, parley } = await startEndUsersApi());
});
afterAll(() => parley.stop());

describe('conversations', () => {
  test('conversations and messages of a person are listed, and one export contains everything', async () => {
    const { body: run } = await call(
      'POST',
      triggerPath,
      { end_user: { external_id: 'talk-1', name: 'Talker' }, message: 'Hello there', metadata: { source: 'crm' } },
      { prefer: 'wait=20' },
    );
    const at = `${people}/${run.end_user_id}`;
    const conversations = await call('GET', `${at}/conversations`);
    expect(conversations.body.data).toMatchObject([
      { id: run.conversation_id, channel_kind: 'sandbox', status: 'open' },
    ]);
    const messages = await call('GET', `${at}/conversations/${run.conversation_id}/messages?limit=1`);
    expect(messages.body).toMatchObject({ data: [{ role: 'agent' }], has_more: true });
    const more = await call(
      'GET',
      `${at}/conversations/${run.conversation_id}/messages?cursor=${messages.body.next_cursor}`,
    );
    expect(more.body.data.at(-1)).toMatchObject({ role: 'end_user', content: { type: 'text', text: 'Hello there' } });
    const { body: other } = await call('POST', people, {});
    const foreign = await call('GET', `${people}/${other.id}/conversations/${run.conversation_id}/messages`);
    expect([foreign.status, foreign.body.code]).toEqual([404, 'conversation_not_found']);
    const everything = await call('GET', `${at}/export`);
    expect(everything.headers.get('content-disposition')).toContain(run.end_user_id);
    expect(everything.body).toMatchObject({
      end_user: { name: 'Talker' },
      conversations: [{ id: run.conversation_id }],
      messages: [{ role: 'end_user', content: { text: 'Hello there' } }, { role: 'agent' }],
      runs: [{ id: run.id, input: { metadata: { source: 'crm' } } }],
      recipients: [],
    });
  });
});
