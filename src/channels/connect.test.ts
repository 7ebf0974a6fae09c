import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { channelTools } from '../../test/channel-tools.ts';
import { startReceiver } from '../../test/fakes/receiver.ts';
import type { FakeProvider } from '../../test/fakes/provider.ts';
import { startTelegram } from '../../test/fakes/telegram.ts';
import { startWhatsApp } from '../../test/fakes/whatsapp.ts';
import { connectAccount, splitSettings } from './connect.ts';
import { channelKinds } from './kinds.ts';

let telegram: FakeProvider;
let whatsapp: FakeProvider;
const tools = { ...channelTools(), baseUrl: 'https://parley.example' };
beforeAll(async () => {
  [telegram, whatsapp] = await Promise.all([startTelegram(), startWhatsApp()]);
});
afterAll(async () => {
  await Promise.all([tools.close(), telegram.stop(), whatsapp.stop()]);
});

const kindOf = (name: string) => channelKinds.get(name)!;

describe('settings from a user', () => {
  test('settings are split into public settings and sealed secrets', () => {
    const { access_token, app_secret } = whatsapp.secrets;
    expect(splitSettings(kindOf('whatsapp'), { ...whatsapp.settings, access_token, app_secret })).toEqual({
      settings: whatsapp.settings,
      secrets: { access_token, app_secret },
    });
  });

  test('settings are checked field by field, and the fault repeats no secret', () => {
    const filled = { bot_token: 'secret-but-wrong', nonsense: 1 };
    const result = splitSettings(kindOf('telegram'), filled);
    expect(result).toMatchObject({
      faults: [
        { pointer: '/settings/nonsense', code: 'unknown_field' },
        { pointer: '/settings/bot_token', code: 'pattern', detail: expect.stringContaining('@BotFather') },
      ],
    });
    expect(JSON.stringify(result)).not.toContain('secret-but-wrong');
    expect(splitSettings(kindOf('telegram'), {})).toMatchObject({ faults: [{ code: 'required' }] });
  });

  test('a fault of a setting contains the fix', () => {
    const faultOf = (name: string, field: string, value: string) => {
      const result = splitSettings(kindOf(name), { [field]: value });
      return 'faults' in result && result.faults.find(({ pointer }) => pointer === `/settings/${field}`)?.detail;
    };
    const url = 'Must be a whole URL. Start with https://, for example https://shop.example.';
    expect(faultOf('whatsapp', 'api_url', 'graph.example')).toBe(url);
    expect(faultOf('webhook', 'url', 'app.example/parley')).toBe(url);
    expect(faultOf('webhook', 'url', 'https://a:b@app.example')).toContain('without user name');
    expect(faultOf('whatsapp', 'app_secret', 'x')).toContain('32 characters');
  });

  test.each(['sandbox', 'webhook', 'telegram', 'whatsapp', 'sms', 'slack', 'email'])(
    '%s never stores a secret readable',
    (name) => {
      const kind = kindOf(name);
      const fields = Object.keys((kind.settings as { properties?: object }).properties ?? {});
      const sensitive = fields.filter((field) => /token|secret|password/.test(field));
      expect(kind.secretFields).toEqual(sensitive);
    },
  );
});

describe('connecting', () => {
  test('connecting creates our own secrets, stores the account’s name, and gives the provider the inbound URL', async () => {
    const { bot_token } = telegram.secrets;
    const connected = await connectAccount(
      kindOf('telegram'),
      'channel_1',
      { settings: telegram.settings, secrets: { bot_token: bot_token! } },
      tools,
    );
    expect(connected.settings).toMatchObject({ account: { bot_username: 'parley_bot' } });
    expect(connected.secrets['hook_secret']).toMatch(/^[\w-]{43}$/);
    expect(connected.shown).toBeNull();
  });

  test('the secret that the provider needs is shown once', async () => {
    const split = { settings: { url: 'https://example.com' }, secrets: {} };
    const { shown, secrets } = await connectAccount(kindOf('webhook'), 'channel_1', split, tools);
    expect(shown).toEqual({ name: 'secret', value: secrets['secret'] });
  });

  test.each(['https://10.1.2.3/hook', 'http://93.184.216.34/hook', 'https://user:word@example.com/'])(
    'an endpoint that can never be called is refused: %s',
    async (url) => {
      const split = { settings: { url }, secrets: {} };
      await expect(connectAccount(kindOf('webhook'), 'channel_1', split, tools)).rejects.toMatchObject({
        code: 'address_refused',
        facts: { setting: 'url' },
      });
    },
  );

  test('a refused token is explained in a sentence', async () => {
    const wrong = { settings: whatsapp.settings, secrets: { access_token: 'wrong', app_secret: 'x' } };
    await expect(connectAccount(kindOf('whatsapp'), 'channel_1', wrong, tools)).rejects.toMatchObject({
      code: 'channel_unauthorized',
      message: expect.stringContaining('access token'),
    });
  });

  test('connecting reports a provider that takes too long', async () => {
    const slow = await startReceiver(() => 'hang');
    const split = { settings: { api_url: slow.url }, secrets: { bot_token: telegram.secrets['bot_token']! } };
    // The same call with less time.
    const { egress } = tools;
    const request: typeof egress.request = (call) => egress.request({ ...call, signal: AbortSignal.timeout(50) });
    const hasty = { ...tools, egress: { ...egress, request } };
    await expect(connectAccount(kindOf('telegram'), 'channel_1', split, hasty)).rejects.toMatchObject({
      code: 'provider_timeout',
      facts: { setting: 'api_url' },
    });
    await slow.stop();
  });
});
