import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo, NetConnectOpts } from 'node:net';

/**
 * The proxy is the network between a node and its database, with faults that are set at run time. Each direction of
 * each connection is a queue of bytes with its own fault. A connection is identified by the `application_name` of its
 * first packet, so that a fault can affect only one kind of connection. A black hole delays the data, because TCP
 * resends lost packets, so the bytes arrive after healing unless one side has given up.
 */
export type Fault =
  | { kind: 'pass' }
  | { kind: 'delay'; ms: number }
  | { kind: 'black hole' }
  /** The proxy sends RST to open and new connections. */
  | { kind: 'reset' }
  /** The proxy sends RST after this many bytes of each connection. */
  | { kind: 'cut'; afterBytes: number }
  /** The proxy sends RST after a part with this text, such as a COMMIT, has passed. */
  | { kind: 'cut at'; text: string };

/** The direction `up` is from the client to the server. */
export type Direction = 'up' | 'down';
export type Where = {
  direction?: Direction | null;
  /** The fault affects only connections of this application. */ only?: string | null;
};

export type TcpProxy = {
  port: number;
  /** Sets the target of new connections, while open connections keep their target. */
  target: NetConnectOpts;
  /** Replaces the fault that was set for the same place. */
  set(fault: Fault, where?: Where): void;
  heal(): void;
  /** Sends RST to every open connection. */
  breakAll(): void;
  /** Returns the application names of the open connections. */
  open(): string[];
  close(): Promise<void>;
};

/**
 * The maximum data that one direction of one connection holds back, after which the proxy stops reading from the
 * sender.
 */
const MAX_HELD = 4 * 1024 * 1024;
const PASS: Fault = { kind: 'pass' };
/** The time in which passed data arrives before the RST. */
const ARRIVES_MS = 5;

type Rule = { fault: Fault; direction: Direction | null; only: string | null };
type Link = { name: string; sockets: [Socket, Socket]; pumps: (() => void)[] };

export async function startTcpProxy(target: NetConnectOpts): Promise<TcpProxy> {
  const links = new Set<Link>();
  let rules: Rule[] = [];
  /** Returns the last matching rule. */
  const faultOf = (direction: Direction, name: string): Fault =>
    rules.findLast((rule) => (rule.direction ?? direction) === direction && (rule.only ?? name) === name)?.fault ??
    PASS;
  const pumpAll = () => {
    for (const link of links) for (const pump of link.pumps) pump();
  };

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    client.once('data', (first: Buffer) => {
      client.pause();
      client.unshift(first);
      join(client, applicationName(first));
    });
    client.on('error', () => client.destroy());
    client.once('end', () => client.end());
  });

  function join(client: Socket, name: string): void {
    if (faultOf('up', name).kind === 'reset') return abort(client);
    const upstream = connect({ ...proxy.target, allowHalfOpen: true, noDelay: true } as NetConnectOpts);
    const link: Link = { name, sockets: [client, upstream], pumps: [] };
    const sever = () => {
      links.delete(link);
      link.sockets.forEach(abort);
    };
    link.pumps.push(
      pipe(client, upstream, () => faultOf('up', name), sever),
      pipe(upstream, client, () => faultOf('down', name), sever),
    );
    links.add(link);
    for (const socket of link.sockets) {
      socket.once('close', () => {
        if (link.sockets.every(({ destroyed }) => destroyed)) links.delete(link);
      });
    }
    client.resume();
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    target,
    set(fault, { direction = null, only = null } = {}) {
      const place = { direction, only };
      rules = rules.filter((rule) => rule.direction !== place.direction || rule.only !== only);
      rules.push({ fault, ...place });
      pumpAll();
    },
    heal() {
      rules = [];
      pumpAll();
    },
    breakAll() {
      for (const link of links) link.sockets.forEach(abort);
      links.clear();
    },
    open: () => [...links].map(({ name }) => name),
    async close() {
      proxy.breakAll();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

/** Closes the connection with RST. A Unix socket, which the database uses, only closes without RST. */
function abort(socket: Socket): void {
  if (socket.remoteFamily) socket.resetAndDestroy();
  else socket.destroy();
}

/**
 * Passes bytes from one socket to the other as the current fault allows. Returns a function to call when the fault
 * changes.
 */
function pipe(from: Socket, to: Socket, fault: () => Fault, sever: () => void): () => void {
  /** The value null marks the end of the stream. */
  const delayed: { bytes: Buffer | null; at: number }[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  let budget: { of: Fault; left: number } | null = null;

  const pump = (): void => {
    clearTimeout(timer);
    for (let head = delayed[0]; head; head = delayed[0]) {
      const now = fault();
      if (now.kind === 'reset') return sever();
      if (now.kind === 'black hole') return;
      const wait = now.kind === 'delay' ? head.at + now.ms - performance.now() : 0;
      if (wait > 0) {
        timer = setTimeout(pump, wait);
        return;
      }
      if (now.kind === 'cut' && head.bytes !== null) {
        if (budget?.of !== now) budget = { of: now, left: now.afterBytes };
        to.write(head.bytes.subarray(0, budget.left));
        budget.left -= head.bytes.length;
        if (budget.left <= 0) {
          timer = setTimeout(sever, ARRIVES_MS);
          return;
        }
      } else if (head.bytes === null) to.end();
      else to.write(head.bytes);
      delayed.shift();
      size -= head.bytes?.length ?? 0;
      if (now.kind === 'cut at' && head.bytes?.includes(now.text)) return void setTimeout(sever, ARRIVES_MS);
      if (size < MAX_HELD && from.isPaused()) from.resume();
    }
    if (fault().kind === 'reset') sever();
  };

  const hold = (bytes: Buffer | null): void => {
    delayed.push({ bytes, at: performance.now() });
    size += bytes?.length ?? 0;
    if (size >= MAX_HELD) from.pause();
    pump();
  };
  from.on('data', (bytes: Buffer) => hold(bytes));
  from.once('end', () => hold(null));
  // The proxy reports a broken side to the other side when the network passes data again.
  from.on('error', () => hold(null));
  from.once('close', () => {
    if (!to.destroyed && delayed.length === 0) to.end();
  });
  return pump;
}

/** Reads a PostgreSQL start-up packet: length, version, then names and values that end in zeros. */
function applicationName(packet: Buffer): string {
  const words = packet.subarray(8).toString('latin1').split('\0');
  const at = words.indexOf('application_name');
  return at === -1 ? '' : (words[at + 1] ?? '');
}
