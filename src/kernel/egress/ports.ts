import type { AllowList } from './allow-list.ts';
import { EgressError } from './egress-error.ts';

/**
 * Ports that a user's URL may not name, because a server of another protocol listens on them. The list has the "bad
 * ports" of the Fetch standard (https://fetch.spec.whatwg.org/#port-blocking), followed by databases, queues and remote
 * desktops. An entry of PARLEY_EGRESS_ALLOW with host and port makes an exception. An entry without a port does not
 * make an exception.
 */
const OTHER_PROTOCOLS = new Set(
  [
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123',
    '135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995',
    '1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080',
    '445 1433 1521 2181 2375 2376 2379 2380 2525 3306 3389 5432 5433 5672 5900 6379 6380 6432 9042 9092 9300 11211',
    '27017 27018 27019',
  ].flatMap((line) => line.split(' ').map(Number)),
);

/** The ports of mail are 25 and 2525 between servers, and 465 and 587 for senders who sign in. */
const MAIL = new Set([25, 465, 587, 2525]);

export type Service = 'http' | 'mail';

/**
 * Mail may use the ports of mail and, if the operator allowed the host, any port that belongs to no other protocol.
 * Other services may use any port that belongs to no other protocol.
 */
export function judgePort(service: Service, name: string, port: number, allow: AllowList): void {
  if (allow.names(name, port)) return;
  if (service === 'mail' && MAIL.has(port)) return;
  if (!OTHER_PROTOCOLS.has(port) && (service === 'http' || allow.host(name, port) || allow.address(name, port))) return;
  const detail =
    service === 'mail'
      ? `Port ${port} is not a port for sending mail. Use 465 with tls, or 587 with starttls.`
      : `Port ${port} belongs to another protocol. Use 443, or the port of your own HTTPS server.`;
  throw new EgressError('egress_refused', detail);
}
