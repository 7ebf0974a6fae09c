import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EndUsersApi, people, startEndUsersApi } from '../../../../test/end-users-api.ts';

let triggerPath: EndUsersApi['triggerPath'];
let call: EndUsersApi['call'];
let parley: EndUsersApi['parley'];

beforeAll(async () => {
  ({ triggerPath, call, parley } = await startEndUsersApi());
});
afterAll(() => parley.stop());

describe('consent', () => {
  test('a trigger call respects an opt-out immediately', async () => {
    const { body: person } = await call('POST', people, { external_id: 'consent-1' });
    const answer = await call('PUT', `${people}/${person.id}/consent/sandbox`, { status: 'opted_out', source: 'form' });
    expect([answer.status, answer.body.consent.sandbox]).toMatchObject([200, { status: 'opted_out', source: 'form' }]);
    expect(answer.body.consent.sandbox.at).toBe(new Date(answer.body.consent.sandbox.at).toISOString());
    const run = await call('POST', triggerPath, { end_user: { id: person.id } }, { prefer: 'wait=20' });
    const read = await call('GET', `${triggerPath}/runs/${run.body.id}`);
    expect(read.body).toMatchObject({ status: 'skipped', reason: 'opted_out' });
  });

  test.each(['No%20Kind', 'watsapp', 'web-chat', 'constructor'])(
    'an opt-out for a kind of channel that does not exist (%s) is refused',
    async (kind) => {
      const { body: person } = await call('PUT', `${people}/external/consent-2`, {});
      const answer = await call('PUT', `${people}/${person.id}/consent/${kind}`, { status: 'opted_out' });
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, '/channel_kind']);
      expect(answer.body.errors[0].detail).toContain('web_chat, webhook');
    },
  );
});
