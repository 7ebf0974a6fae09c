import { type Reply, type AttackRequest, curlOf } from './send-request.ts';
import type { WatchedServer } from './watched-server.ts';
import { watchHealth } from './watched-server.ts';
import type { World } from './world.ts';

/**
 * Checks the guarantees that must hold for every request. The check stops at the first finding, whose text is for a
 * person.
 */
export type Finding = { what: string; request?: string };

/**
 * Several concurrent requests, and the turns that they start, may each block the event loop once before health is
 * answered.
 */
const MAX_WAIT_MS = 600;
const MAX_RESIDENT_MIB = 1_536;
const LOOK_EVERY_MS = 250;
/** The number of characters that a finding shows around a forbidden text. */
const SHOWN = 120;

export type Watchdog = {
  finding(): Finding | null;
  /** The client calls `sends` before it sends a request, and `answers` with the response. */
  sends(request: AttackRequest): void;
  judge(request: AttackRequest, reply: Reply): void;
  stop(): Promise<void>;
};

export function createWatchdog(server: WatchedServer, world: World): Watchdog {
  let found: Finding | null = null;
  const underWay = new Set<AttackRequest>();
  const health = watchHealth(server);
  const report = (what: string, request?: string): void => {
    const others = [...underWay].map((request) => curlOf(server.url, request));
    found ??= { what, request: request ?? others.join('\n') };
  };

  let read = 0;
  const readLog = (): void => {
    // The last line of the log may not be complete yet.
    const fresh = server.output().slice(read);
    const lines = fresh.slice(0, fresh.lastIndexOf('\n') + 1);
    read += lines.length;
    for (const line of lines.split('\n')) {
      const secret = [...world.secrets, ...world.inside].find((one) => line.includes(one));
      if (secret !== undefined) report(`A line of the log holds a secret: ${around(line, secret)}`);
      if (/"level":"(error|fatal)"/.test(line)) report(`The log has an error: ${line}`);
    }
  };
  const look = (): void => {
    if (found !== null) return;
    try {
      readLog();
      const worst = health.worst();
      if (worst > MAX_WAIT_MS) report(`/api/health was answered after ${worst.toFixed(0)} ms of processor time.`);
      const resident = server.residentMib();
      if (resident > MAX_RESIDENT_MIB) report(`The program holds ${resident.toFixed(0)} MiB.`);
    } catch (error) {
      report(`The program is gone or hangs: ${(error as Error).message}\n${server.output().slice(-2_000)}`);
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS);

  return {
    finding: () => found,
    sends: (request) => void underWay.add(request),
    judge: (request, reply) => {
      const say = (what: string): void => report(what, curlOf(server.url, request));
      const { status, head, text, isLate } = reply;
      if (isLate) say('No answer came.');
      if (status === 500 || status === 504) say(`Answered ${status}: ${text.slice(0, 500)}\n${logOf(server, text)}`);
      const whole = `${head}\n${text}`;
      const hidden = request.actor.isInsider ? world.secrets : [...world.secrets, ...world.inside];
      const secret = hidden.find((one) => whole.includes(one));
      if (secret !== undefined) say(`The answer to ${request.actor.name} holds a secret: ${around(whole, secret)}`);
      underWay.delete(request);
    },
    stop: async () => {
      clearInterval(timer);
      look();
      await health.stop();
    },
  };
}

/** Returns the logged error of a request, if it is already in the log. */
const logOf = (server: WatchedServer, answer: string): string => {
  const id = /req_[0-9a-z]+/.exec(answer)?.[0];
  const lines = server.output().split('\n');
  return lines.filter((line) => id !== undefined && line.includes(id) && line.includes('error')).join('\n');
};

const around = (text: string, secret: string): string => {
  const at = text.indexOf(secret);
  return `…${text.slice(Math.max(0, at - SHOWN), at)}<here>${text.slice(at + secret.length, at + secret.length + SHOWN)}…`;
};
