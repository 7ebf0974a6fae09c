import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/**
 * Starts a name server on a real port. The fake has TXT records in the wire format of RFC 1035 and answers NXDOMAIN to
 * all other queries.
 */
export type NameServer = {
  /** The address for `DNS_SERVERS`. */
  address: string;
  /** The TXT records of each name. Each TXT record consists of strings of at most 255 bytes. */
  records: Map<string, string[][]>;
  /** True if the server receives queries and never answers. */
  silent: boolean;
  /** The names in the queries so far. */
  asked: string[];
  stop(): Promise<void>;
};

const HEADER = 12;
const TXT = 16;
const INTERNET = 1;
/** A pointer to the name of the question, by its position in the message. */
const QUESTION_NAME = 0xc00c;

export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const made: NameServer = {
    address: `127.0.0.1:${socket.address().port}`,
    records: new Map(),
    silent: false,
    asked: [],
    stop: async () => void socket.close(),
  };
  socket.on('message', (query, from) => {
    const labels: string[] = [];
    let at = HEADER;
    for (; query[at] !== 0; at += query[at]! + 1) labels.push(query.subarray(at + 1, at + 1 + query[at]!).toString());
    const name = labels.join('.').toLowerCase();
    made.asked.push(name);
    if (made.silent) return;
    const records = query.readUInt16BE(at + 1) === TXT ? (made.records.get(name) ?? []) : [];
    const header = Buffer.alloc(HEADER);
    query.copy(header, 0, 0, 2);
    // The flags of an authoritative answer. The code 3 means that the name does not exist.
    header.writeUInt16BE(0x8580 | (made.records.has(name) ? 0 : 3), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    const question = query.subarray(HEADER, at + 5);
    socket.send(Buffer.concat([header, question, ...records.map(answerOf)]), from.port, from.address);
  });
  return made;
}

function answerOf(pieces: string[]): Buffer {
  const data = Buffer.concat(pieces.map((piece) => Buffer.concat([Buffer.from([piece.length]), Buffer.from(piece)])));
  const head = Buffer.alloc(HEADER);
  head.writeUInt16BE(QUESTION_NAME, 0);
  head.writeUInt16BE(TXT, 2);
  head.writeUInt16BE(INTERNET, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
