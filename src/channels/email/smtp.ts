import { Readable } from 'node:stream';
import MailComposer, { type MailComposerOptions } from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { noAnswer, setting } from '../call-provider.ts';
import { type ChannelAccount, ChannelFailure, type SendTools } from '../channel.ts';

/** A server that is inactive for this time counts as unreachable. */
const SOCKET_TIMEOUT_MS = 10_000;
/**
 * The limit applies to the whole SMTP session. The limit is below the lease of a delivery worker, so that no other
 * worker sends the same e-mail.
 */
const TOTAL_TIMEOUT_MS = 15_000;

type SmtpError = Error & { code?: string; responseCode?: number; response?: string };

/** Connects to the SMTP server and signs in. The error is a sentence that states the problem. */
export async function trySmtp(account: ChannelAccount, tools: SendTools): Promise<Record<string, string>> {
  await withServer(account, tools, async () => {});
  return {};
}

/**
 * Sends one e-mail over one connection. A reply of the server is definite. When the connection is lost, the server can
 * have the message only if it started to read it.
 */
export async function sendOverSmtp(
  account: ChannelAccount,
  tools: SendTools,
  mail: MailComposerOptions,
): Promise<void> {
  const raw = await new MailComposer({ ...mail, disableFileAccess: true, disableUrlAccess: true }).compile().build();
  let began = false;
  const body = Readable.from(
    (function* read() {
      began = true;
      yield raw;
    })(),
  );
  const { address: from } = mail.from as { address: string };
  await withServer(
    account,
    tools,
    (server) =>
      new Promise<void>((done, fail) => {
        server.send({ from, to: mail.to as string }, body, (error) => (error ? fail(error) : done()));
      }),
    () => began,
  );
}

async function withServer(
  account: ChannelAccount,
  { egress, signal }: SendTools,
  work: (server: SMTPConnection) => Promise<void>,
  began: () => boolean = () => false,
): Promise<void> {
  const { settings, secrets } = account;
  const security = setting(settings, 'security') || 'tls';
  const host = setting(settings, 'host');
  const given = settings['port'];
  const port = typeof given === 'number' ? given : security === 'tls' ? 465 : 587;
  let server: SMTPConnection | null = null;
  const stop = AbortSignal.any([signal, AbortSignal.timeout(TOTAL_TIMEOUT_MS)]);
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  const giveUp = () => lost.reject(new Error('The SMTP server timed out.'));
  stop.addEventListener('abort', giveUp, { once: true });
  try {
    const connection = await egress.connect({ host, port, plain: security === 'none' }).catch((error: unknown) => {
      throw neverReached(error);
    });
    const made = new SMTPConnection({
      connection,
      host,
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      name: setting(settings, 'from').split('@')[1],
      greetingTimeout: SOCKET_TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
    });
    server = made;
    made.on('error', (error: Error) => lost.reject(error));
    made.on('end', () => lost.reject(new Error('The SMTP server closed the connection.')));
    const user = setting(settings, 'username');
    const talk = async () => {
      await new Promise<void>((done, fail) => made.connect((error) => (error ? fail(error) : done())));
      if (user) {
        const credentials = { user, pass: secrets['password'] ?? '' };
        await new Promise<void>((done, fail) => made.login({ credentials }, (error) => (error ? fail(error) : done())));
      }
      await work(made);
    };
    await Promise.race([talk(), lost.promise]);
    made.quit();
  } catch (error) {
    throw meaningOf(error, began());
  } finally {
    stop.removeEventListener('abort', giveUp);
    server?.close();
  }
}

/** Nothing was sent, because no connection was made. */
function neverReached(error: unknown): unknown {
  const known = noAnswer(error);
  if (!(known instanceof ChannelFailure)) return known;
  return new ChannelFailure(known.code, known.message, { ...known.facts, mayHaveSent: false, setting: 'host' });
}

/** According to https://www.rfc-editor.org/rfc/rfc5321#section-4.2, 4yz may be retried and 5yz may not. */
function meaningOf(error: unknown, began: boolean): unknown {
  if (error instanceof ChannelFailure) return error;
  const known = noAnswer(error);
  if (known !== error) return known;
  const { code, responseCode, message } = error as SmtpError;
  if (responseCode === undefined || responseCode === 0) {
    if (code === 'ETLS' || /certificate|self.signed/i.test(message)) {
      const detail = 'The connection to the SMTP server could not be encrypted safely.';
      return new ChannelFailure('channel_unauthorized', detail, {
        channelBroken: true,
        setting: 'security',
        cause: error,
      });
    }
    const detail =
      'The SMTP server closed the connection or timed out. Use security tls with port 465 and starttls with port 587.';
    return new ChannelFailure('provider_unreachable', detail, {
      retryable: true,
      mayHaveSent: began,
      setting: 'host',
      cause: error,
    });
  }
  const providerCode = String(responseCode);
  const sentence = `The SMTP server returned ${responseCode}.`;
  if (code === 'EAUTH') {
    return new ChannelFailure('channel_unauthorized', `The SMTP server rejects the credentials (${responseCode}).`, {
      providerCode,
      channelBroken: responseCode >= 500,
      retryable: responseCode < 500,
      setting: 'password',
    });
  }
  if (responseCode < 500)
    return new ChannelFailure('provider_unavailable', sentence, { providerCode, retryable: true });
  const ours = [550, 551, 553].includes(responseCode) ? 'recipient_unreachable' : 'provider_refused';
  return new ChannelFailure(ours, sentence, { providerCode });
}
