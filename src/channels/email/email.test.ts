import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { channelTools, inboundRequest, outbound } from '../../../test/channel-tools.ts';
import { startReceiver } from '../../../test/fakes/receiver.ts';
import { type FakeSmtp, startSmtp } from '../../../test/fakes/smtp.ts';
import type { ChannelAccount, OutboundMessage } from '../channel.ts';
import { newWebhookSecret, signWebhook } from '../../kernel/standard-webhooks.ts';
import { email } from './email.ts';
import { withoutQuote } from './without-quote.ts';

const SECRET = newWebhookSecret();
let fake: FakeSmtp;
let account: ChannelAccount;
const tools = channelTools();
beforeAll(async () => {
  fake = await startSmtp();
  account = {
    id: 'channel_1',
    settings: {
      host: '127.0.0.1',
      port: fake.port,
      security: 'none',
      username: fake.user,
      from: 'support@example.com',
      from_name: 'Example',
      subject: 'Your order',
    },
    secrets: { password: fake.password, secret: SECRET },
  };
});
afterAll(async () => {
  await tools.close();
  await fake.stop();
});

const send = (more: Partial<OutboundMessage> = {}, changed: Partial<ChannelAccount> = {}) =>
  email.send!(
    outbound({ type: 'text', text: 'Hello.\n.\nمرحبا' }, { address: 'asha@example.qa', ...more }),
    { ...account, ...changed },
    tools,
  );
const failureOf = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

describe('sending', () => {
  test('an e-mail belongs to the thread of the conversation, and its ID contains that of the message', async () => {
    const sent = await send({ metadata: { subject: 'Order A-1043\r\nBcc: other@example.com' } });
    expect(sent).toEqual({ providerMessageId: '<msg_01k8v3m9e5f7rsm6z4n0q2x1ab@example.com>', status: 'sent' });
    const { from, to, raw } = fake.mails.at(-1)!;
    expect([from, to]).toEqual(['support@example.com', 'asha@example.qa']);
    expect(raw).toContain('Message-ID: <msg_01k8v3m9e5f7rsm6z4n0q2x1ab@example.com>');
    expect(raw).toContain('References: <conv_01k8v3m9e5f7rsm6z4n0q2x1ae@example.com>');
    expect(raw).toContain('Auto-Submitted: auto-generated');
    expect(raw).not.toMatch(/^Bcc:/m);
  });

  test('a reply is in the thread of the person’s own e-mail, whatever text its name and subject contain', async () => {
    await send({
      answers: {
        providerMessageId: '<1@example.qa>\r\nBcc: other@example.com',
        subject: 'RE: رد: Order\r\nBcc: x@example.com',
      },
    });
    const { raw } = fake.mails.at(-1)!;
    expect(raw).toMatch(/^In-Reply-To: <1@example\.qa>/m);
    expect(raw).toMatch(/^Subject: Re: Order/m);
    expect(raw).not.toMatch(/^Bcc:/m);
    await send({
      answers: { providerMessageId: '<1@example.qa>', subject: 'Order' },
      metadata: { subject: 'Shipped' },
    });
    expect(fake.mails.at(-1)!.raw).toMatch(/^Subject: Shipped\r?$/m);
  });

  test.each([
    [{ at: 'recipient', code: 550 }, 'recipient_unreachable', false],
    [{ at: 'recipient', code: 450 }, 'provider_unavailable', true],
    [{ at: 'data', code: 554 }, 'provider_refused', false],
    [{ at: 'data', code: 451 }, 'provider_unavailable', true],
  ] as const)('the failure %o is reported as %s', async (failure, code, retryable) => {
    fake.fail(failure);
    const found = await failureOf(send());
    expect(found).toMatchObject({ code, facts: { providerCode: String(failure.code) } });
    expect((found as { facts: { retryable?: boolean } }).facts.retryable ?? false).toBe(retryable);
  });

  test('if the connection is lost after the message was read, the outcome is unknown', async () => {
    const before = fake.mails.length;
    fake.fail('reset_after_delivering');
    expect(await failureOf(send())).toMatchObject({ code: 'provider_unreachable', facts: { mayHaveSent: true } });
    expect(fake.mails).toHaveLength(before + 1);
  });

  test('if the connection is lost before the message was read, the failure is definite', async () => {
    fake.fail('reset_before_data');
    expect(await failureOf(send())).toMatchObject({ facts: { retryable: true, mayHaveSent: false } });
  });

  test('wrong credentials mark the channel as broken, and no error text contains them', async () => {
    const found = await failureOf(send({}, { secrets: { password: 'wrong-and-secret' } }));
    expect(found).toMatchObject({ code: 'channel_unauthorized', facts: { channelBroken: true, providerCode: '535' } });
    expect(JSON.stringify(found) + String(found)).not.toContain('wrong-and-secret');
    await expect(email.connect!({ ...account, secrets: { password: 'wrong' } }, tools)).rejects.toMatchObject({
      code: 'channel_unauthorized',
    });
    expect(await email.connect!(account, tools)).toEqual({});
  });

  test('a server with an untrusted certificate receives neither password nor message', async () => {
    const other = await startSmtp({ tls: true });
    const settings = { ...account.settings, port: other.port, security: 'tls' };
    expect(await failureOf(send({}, { settings }))).toMatchObject({ code: 'channel_unauthorized' });
    expect([other.attempts(), other.mails.length]).toEqual([0, 0]);
    await other.stop();
  });

  test('a server without encryption receives nothing', async () => {
    const before = fake.mails.length;
    const settings = { ...account.settings, security: 'starttls' };
    expect(await failureOf(send({}, { settings }))).not.toBeNull();
    expect(fake.mails).toHaveLength(before);
  });

  test('private addresses are refused, and unencrypted servers are allowed only by the operator', async () => {
    const strict = {
      ...tools,
      egress: {
        ...tools.egress,
        connect: (await import('../../kernel/egress.ts')).createEgress({ allow: [] }).connect,
      },
    };
    const sent = email.send!(outbound({ type: 'text', text: 'x' }, { address: 'a@example.com' }), account, strict);
    await expect(sent).rejects.toMatchObject({ code: 'address_refused' });
  });
});

describe('inbound e-mail', () => {
  const request = (value: unknown) => {
    const body = JSON.stringify(value);
    return inboundRequest({ headers: signWebhook(SECRET, 'evt_1', new Date(), body), body });
  };
  const mail = {
    type: 'message',
    message_id: '<1@example.qa>',
    from: 'Asha@Example.qa',
    name: 'Asha',
    subject: ' Where is it? ',
    text: 'Hi\r\n\r\nOn Monday, Support wrote:\r\n> Hello',
  };

  test('an inbound e-mail needs a signature, belongs to the address of its sender, and is stored without quotes', () => {
    expect(email.inbound!.verify(request(mail), account, Date.now())).toBe(true);
    expect(email.inbound!.verify(request(mail), { ...account, secrets: {} }, Date.now())).toBe(false);
    expect(email.inbound!.parse(request(mail), account)).toEqual([
      {
        type: 'message',
        eventId: 'asha@example.qa <1@example.qa>',
        providerMessageId: '<1@example.qa>',
        metadata: { subject: 'Where is it?' },
        address: 'asha@example.qa',
        person: { email: 'asha@example.qa', name: 'Asha' },
        content: { type: 'text', text: 'Hi' },
      },
    ]);
  });

  test('each attachment becomes a message, and is fetched without credentials from public addresses only', async () => {
    const files = await startReceiver(() => ({ text: '%PDF-1.7' }));
    const attachments = [{ name: 'bill.pdf', url: `${files.url}/1` }, { url: 'https://example.com/2' }];
    const events = email.inbound!.parse(request({ ...mail, attachments }), account);
    expect(events).toMatchObject([
      {
        eventId: 'asha@example.qa <1@example.qa>',
        content: { text: 'Hi' },
        file: { name: 'bill.pdf', source: { url: attachments[0]!.url } },
      },
      {
        eventId: 'asha@example.qa <1@example.qa>:file2',
        content: { text: '[file]' },
        file: { name: '', source: { url: 'https://example.com/2' } },
      },
    ]);
    const alone = email.inbound!.parse(request({ ...mail, text: '', attachments: [attachments[0]] }), account);
    expect(alone).toMatchObject([{ content: { text: '[file]' }, file: { name: 'bill.pdf' } }]);
    expect(() => email.inbound!.parse(request({ ...mail, text: '' }), account)).toThrow('documented format');
    const got = await email.fetchFile!({ url: attachments[0]!.url }, account, tools);
    expect(got.toString()).toBe('%PDF-1.7');
    expect(Object.keys(files.calls[0]!.headers)).not.toContain('authorization');
    const { createEgress } = await import('../../kernel/egress.ts');
    const strict = { ...tools, egress: createEgress({ allow: [] }) };
    await expect(email.fetchFile!({ url: attachments[0]!.url }, account, strict)).rejects.toMatchObject({
      code: 'address_refused',
    });
    await strict.egress.close();
    await files.stop();
  });

  test('automatic e-mail is ignored, so that two programs never answer each other in a loop', () => {
    expect(email.inbound!.parse(request({ ...mail, auto_submitted: 'auto-replied' }), account)).toEqual([]);
  });

  test('a bounce is read as a receipt', () => {
    const bounce = { type: 'receipt', message_id: '<msg_1@example.com>', status: 'failed', detail: 'No such mailbox.' };
    expect(email.inbound!.parse(request(bounce), account)).toMatchObject([
      {
        type: 'receipt',
        providerMessageId: '<msg_1@example.com>',
        status: 'failed',
        error: { detail: 'No such mailbox.' },
      },
    ]);
  });

  test.each([
    ['yes\n\n> old\n> older\n', 'yes'],
    ['> only a quote', '> only a quote'],
    ['a\n> quoted\nb', 'a\n> quoted\nb'],
    // Mail programs fold lines like this.
    ['yes\n\nOn Sun, Nov 22, 2026 at 2:31 AM Example <support@example.com>\nwrote:\n\n> old\n', 'yes'],
    ['On time?\nOn Sun, Nov 22, 2026 at 2:31 AM Example <s@example.com> wrote:\n> old', 'On time?'],
    [
      'نعم\n\n\u202bفي الأحد، 22 نوفمبر 2026 في 2:31 ص تمت كتابة ما يلي بواسطة \u202aExample\u202c <s@example.com>:\u202c\n> old',
      'نعم',
    ],
    ['हाँ\n\nरवि, 22 नव॰ 2026 को 2:31 am बजे को Example <s@example.com> ने लिखा:\n\n> old', 'हाँ'],
    // Outlook does not mark quoted lines.
    [
      'yes\n\n________________________________\nFrom: Example <s@example.com>\nSent: Sunday, November 22, 2026 2:31 AM\nTo: Asha\nSubject: Re\n\nold',
      'yes',
    ],
    ['From: Doha\nTo: London\nDate: tomorrow', 'From: Doha\nTo: London\nDate: tomorrow'],
    ['My trip\nFrom: Doha\nTo: London\nDate: May', 'My trip\nFrom: Doha\nTo: London\nDate: May'],
  ])('the e-mail %j without quotes is %j', (text, own) => expect(withoutQuote(text)).toBe(own));
});
