import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export type ReceivedMail = { from: string; to: string; raw: string };

export type FakeSmtp = {
  port: number;
  user: string;
  password: string;
  mails: ReceivedMail[];
  /** Counts the attempts to send a mail, including failed attempts. */
  attempts(): number;
  /** The outcomes of the next attempts, in order. */
  fail(...failures: SmtpFailure[]): void;
  /** Revokes the password, which the argument `false` restores. */
  withdraw(isTaken?: boolean): void;
  stop(): Promise<void>;
};

export type SmtpFailure =
  /** The server refuses the recipient with this code, or the message after it has read the message. */
  | { at: 'recipient' | 'data'; code: number }
  /** The server reads and stores the whole message, then closes the connection without a response. */
  | 'reset_after_delivering'
  /** The server reads and stores the whole message, but keeps the connection open and never responds. */
  | 'timeout_after_delivering'
  /** The server closes the connection before it reads any of the message. */
  | 'reset_before_data';

const refusal = (code: number) => Object.assign(new Error(`fake ${code}`), { responseCode: code });

/** Starts a real SMTP server that stores received mail. The SMTP server requires sign-in and has no encryption. */
export async function startSmtp(options: { tls?: boolean } = {}): Promise<FakeSmtp> {
  const [user, password] = ['parley@example.com', 'correct horse'];
  const mails: ReceivedMail[] = [];
  const failures: SmtpFailure[] = [];
  let attempts = 0;
  let withdrawn = false;
  const server = new SMTPServer({
    logger: false,
    secure: options.tls ?? false,
    disabledCommands: options.tls ? [] : ['STARTTLS'],
    authOptional: true,
    onAuth: ({ username, password: given }, _session, callback) => {
      if (username === user && given === password && !withdrawn) return callback(null, { user });
      return callback(refusal(535));
    },
    onRcptTo: (_address, session, callback) => {
      attempts++;
      const failure = failures[0];
      if (failure === 'reset_before_data') {
        failures.shift();
        return hangUp(session);
      }
      if (typeof failure === 'object' && failure.at === 'recipient') {
        failures.shift();
        return callback(refusal(failure.code));
      }
      return callback();
    },
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const failure = failures.shift();
        if (typeof failure === 'object') return callback(refusal(failure.code));
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        mails.push({ from, to: rcptTo[0]!.address, raw: Buffer.concat(chunks).toString() });
        if (failure === 'timeout_after_delivering') return;
        return failure === 'reset_after_delivering' ? hangUp(session) : callback();
      });
    },
  });
  server.on('error', () => {});
  const hangUp = (session: { id: string }) => {
    for (const one of server.connections)
      if (one.session.id === session.id || one.id === session.id) one._socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    user,
    password,
    mails,
    attempts: () => attempts,
    fail: (...more) => void failures.push(...more),
    withdraw: (isTaken = true) => void (withdrawn = isTaken),
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
