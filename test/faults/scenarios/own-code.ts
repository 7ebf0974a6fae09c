import { createServer, request as openRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TurnRequested } from '../../../contract/turns.ts';
import { until } from '../database.ts';
import { request } from '../http-client.ts';
import { triggerPath } from '../ledger.ts';
import type { Tenant } from '../region.ts';
import type { Scenario, Trial } from '../trial.ts';

/**
 * The customer's code answers turns, and is killed after it has sent an answer and before the acknowledgement arrives.
 * The customer's code starts again and sends the same answer or another answer. The scenario also kills workers between
 * an answer and its storing.
 */
const CONVERSATIONS = 110;
/** The number of kills of the receiver and of workers together. */
const KILLS = 200;
const WORKER_KILLS = 8;
const POINTS = ['code:after-answer', 'code:after-keep', 'worker:before-store', 'worker:after-store'];
const DIES_WITHIN_MS = 2_500;
const SETTLED_WITHIN_MS = 60_000;
const TIME_LIMIT_SECONDS = 45;

type Receiver = {
  url: string;
  deaths: number;
  turns: Set<string>;
  /** The texts that were acknowledged as the first answer of a turn. */
  acknowledged: Map<string, string>;
  /** Ends all processes, and the promise resolves when no answer is in progress. */
  stop(): Promise<void>;
};

async function startMortal(trial: Trial, maxDeaths: number): Promise<Receiver> {
  const { region, random, expect, pause } = trial;
  const working = new Set<Promise<void>>();
  let isOver = false;
  const receiver: Receiver = {
    url: '',
    deaths: 0,
    turns: new Set(),
    acknowledged: new Map(),
    async stop() {
      isOver = true;
      await Promise.all(working);
      server.closeAllConnections();
      server.close();
    },
  };
  const mayDie = () => receiver.deaths < maxDeaths && random.between(1, 10) <= 8;

  /** Sends an answer, ends at some moment before the acknowledgement, and returns null if the process died. */
  function send({ turn }: TurnRequested, text: string, dies: boolean): Promise<number | null> {
    const { promise, resolve } = Promise.withResolvers<number | null>();
    const { url } = random.pick(region.api);
    const headers = { authorization: `Bearer ${turn.reply_token}`, 'content-type': 'application/json' };
    const call = openRequest(url + new URL(turn.reply_url).pathname, { method: 'POST', headers });
    call.once('error', () => resolve(null));
    call.once('response', (response) => {
      response.resume();
      const isFirst = response.statusCode === 200 && response.headers['idempotent-replayed'] === undefined;
      const other = receiver.acknowledged.get(turn.id);
      if (isFirst) {
        expect(other === undefined || other === text, `two answers of one turn were accepted: ${other} and ${text}`);
        receiver.acknowledged.set(turn.id, text);
      }
      resolve(response.statusCode ?? null);
    });
    call.end(JSON.stringify({ messages: [{ content: { type: 'text', text } }] }), () => {
      if (dies) setTimeout(() => call.destroy(), random.between(0, 12));
    });
    return promise;
  }

  async function answerLater(asked: TurnRequested): Promise<void> {
    await pause(random.between(0, 60));
    for (let life = 1; !isOver; life++) {
      const dies = mayDie();
      if (dies) receiver.deaths++;
      // After a restart, the code may not have its earlier answers.
      const text = `${asked.turn.id} ${random.between(1, 2)}`;
      const status = await send(asked, text, dies);
      const isKnown = status === 200 || status === 409;
      expect(isKnown || status === null || status === 503, `an answer was answered ${status}`);
      if (isKnown) return;
      await pause(random.between(5, 80));
    }
  }

  const server = createServer((call, response) => {
    const chunks: Buffer[] = [];
    call.on('data', (chunk: Buffer) => chunks.push(chunk));
    call.on('end', () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as TurnRequested;
      receiver.turns.add(asked.turn.id);
      if (random.between(1, 4) === 1) return direct(asked, response);
      response.writeHead(202).end();
      const work = answerLater(asked).finally(() => working.delete(work));
      working.add(work);
    });
  });

  /** The response to the call is the answer. If the process dies after the response, the connection is closed. */
  function direct({ turn }: TurnRequested, response: ServerResponse): void {
    const answer = { messages: [{ content: { type: 'text', text: `${turn.id} 0` } }] };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer), () => {
      if (!mayDie()) return;
      receiver.deaths++;
      response.socket?.destroySoon();
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/turns`;
  return receiver;
}

async function setUp({ region, expect }: Trial, tenant: Tenant, url: string): Promise<void> {
  const [node] = region.api;
  const at = `/organizations/${tenant.orgId}/agents/${tenant.agentId}`;
  const definition = { provider: 'http', url, time_limit_seconds: TIME_LIMIT_SECONDS };
  const changed = await region.dashboard(node!, 'PATCH', at, { definition });
  const made = await region.dashboard(node!, 'POST', `${at}/secret`);
  expect(changed.status === 200 && made.status === 201, `the agent was answered ${changed.status}, ${made.status}`);
}

/** Kills a worker at a named place or at a random moment, and starts it again. */
async function killWorkers({ region, random, expect, pause }: Trial, dead: { many: number }): Promise<void> {
  while (dead.many < WORKER_KILLS) {
    const worker = random.pick(region.workers);
    await worker.crash({ point: random.pick(POINTS), pass: random.between(1, 3) });
    await Promise.race([worker.gone(), pause(DIES_WITHIN_MS)]);
    if (worker.isRunning()) await worker.end('SIGKILL');
    dead.many++;
    await worker.start(region.plan);
    expect(worker.isRunning(), `${worker.name} did not start again`);
  }
}

/** Starts a conversation. With `isInterrupted`, the person writes again during the turn. */
async function talk(
  { region, random, expect, pause }: Trial,
  tenant: Tenant,
  n: number,
  isInterrupted: boolean,
): Promise<void> {
  const headers = { authorization: `Bearer ${tenant.keys[0]!.value}` };
  const write = async (message: string): Promise<void> => {
    const body = { message, conversation: { key: `talk-${n}` }, end_user: { external_id: `person-${n}` } };
    const { status } = await request(random.pick(region.api).url + triggerPath(tenant), {
      method: 'POST',
      headers,
      body,
    });
    expect(status === 202, `a call was answered ${status}`);
  };
  await write('Hello');
  if (!isInterrupted) return;
  await pause(random.between(0, 150));
  await write('One more thing');
}

type Said = { conversation: string; text: string };

async function check({ region, expect }: Trial, { orgId }: Tenant, { turns, acknowledged }: Receiver): Promise<void> {
  const open = `SELECT count(*)::int AS many FROM run WHERE org_id = $1 AND status IN ('queued', 'running', 'scheduled')`;
  const isSettled = async () => (await region.rows<{ many: number }>(open, [orgId]))[0]!.many === 0;
  await until(isSettled, SETTLED_WITHIN_MS, 'The end of all runs').catch(() => undefined);
  const lost = await region.rows<{ id: string }>(
    `SELECT c.id FROM conversation c WHERE c.org_id = $1 AND (cardinality(c.unanswered) > 0 OR NOT EXISTS
      (SELECT 1 FROM message m WHERE m.org_id = c.org_id AND m.conversation_id = c.id AND m.role = 'agent'))`,
    [orgId],
  );
  expect(lost.length === 0, `${lost.length} turns are lost`);
  const messages = await region.rows<Said>(
    `SELECT conversation_id AS conversation, content ->> 'text' AS text FROM message
      WHERE org_id = $1 AND role = 'agent'`,
    [orgId],
  );
  const byTurn = Map.groupBy(messages, ({ text }) => text.split(' ')[0]!);
  for (const [turn, texts] of byTurn) {
    expect(texts.length === 1, `turn ${turn} has ${texts.length} messages`);
    expect(turns.has(turn), `a message of an unknown turn: ${turn}`);
    const first = acknowledged.get(turn);
    expect(first === undefined || first === texts[0]!.text, `turn ${turn} was answered with another answer`);
  }
}

export const codeScenarios: Scenario[] = [
  {
    name: 'own-code',
    expects: 'each turn has exactly one answer, although processes die between an answer and its acknowledgement',
    callers: 0,
    keys: 1,
    async run(trial) {
      const { expect, pause, random } = trial;
      const receiver = await startMortal(trial, KILLS - WORKER_KILLS);
      // The general guarantees expect one run for each conversation, so interrupted conversations have a separate
      // organization.
      const interrupted = await trial.region.tenant(1);
      for (const tenant of [trial.tenant, interrupted]) await setUp(trial, tenant, receiver.url);
      const dead = { many: 0 };
      const killing = killWorkers(trial, dead);
      for (let n = 1; n <= CONVERSATIONS || (receiver.deaths < KILLS - WORKER_KILLS && n <= 2 * CONVERSATIONS); n++) {
        await (n % 4 === 0 ? talk(trial, interrupted, n, true) : talk(trial, trial.tenant, n, false));
        await pause(random.between(20, 150));
      }
      await killing;
      for (const tenant of [trial.tenant, interrupted]) await check(trial, tenant, receiver);
      await receiver.stop();
      const kills = receiver.deaths + dead.many;
      expect(kills >= KILLS, `only ${kills} of ${KILLS} kills happened`);
    },
  },
];
