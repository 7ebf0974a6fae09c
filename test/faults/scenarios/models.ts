import { type Answer as ModelAnswer, type Receiver, startReceiver } from '../../fakes/receiver.ts';
import { until } from '../database.ts';
import { request } from '../http-client.ts';
import { triggerPath } from '../ledger.ts';
import type { Scenario, Trial } from '../trial.ts';

/**
 * Tests an unavailable or slow model provider, and a budget that is used up, with all nodes at work. Each run has one
 * answer in every case, from the model or from its fallback.
 */
const SAID = 'The model says this.';
/** The provider bills the listed tokens for one call. */
const USED = { prompt_tokens: 300, completion_tokens: 100 };
const BILLED = USED.prompt_tokens + USED.completion_tokens;
const BUDGET = 30_000;
const SETTLED_WITHIN_MS = 45_000;

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_795_000_000,
  model: 'local',
  choices: [{ index: 0, message: { role: 'assistant', content: SAID }, finish_reason: 'stop' }],
  usage: { ...USED, total_tokens: BILLED },
};
const answered = (more: Partial<Exclude<ModelAnswer, string>> = {}): ModelAnswer => ({ json: completion, ...more });

type Talk = {
  model: Receiver;
  /** Makes calls at one node after the other. The promise of `ask` resolves when the calls are accepted. */
  ask(many: number): Promise<void>;
  /** The promise of `settled` resolves when no run is open. */
  settled(): Promise<void>;
  answers(): Promise<{ model: number; fallback: number }>;
  gate(): Promise<{ failures: number; closed: boolean } | undefined>;
};

async function startTalk({ region, tenant, after, expect }: Trial, more: object = {}): Promise<Talk> {
  const model = await startReceiver(() => answered());
  after(() => model.stop());
  const [node] = region.api;
  const of = `/organizations/${tenant.orgId}`;
  const set = async (method: string, path: string, body: unknown): Promise<void> => {
    const { status, text } = await region.dashboard(node!, method, of + path, body);
    expect(status !== null && status >= 200 && status < 300, `${method} ${path} was answered ${status} ${text}`);
  };
  await set('PUT', '/models/openai_compatible', { base_url: `${model.url}/v1` });
  const definition = {
    provider: 'openai_compatible',
    model: 'local',
    max_output_tokens: 200,
    fallback: [{ provider: 'embedded' }],
    ...more,
  };
  await set('PATCH', `/agents/${tenant.agentId}`, { definition });
  let asked = 0;
  const count = async (text: string): Promise<number> =>
    (await region.rows<{ many: number }>(text, [tenant.orgId]))[0]!.many;
  return {
    model,
    async ask(many) {
      const headers = { authorization: `Bearer ${tenant.keys[0]!.value}` };
      await Promise.all(
        Array.from({ length: many }, async () => {
          const { url } = region.api[asked++ % region.api.length]!;
          const body = { message: 'What do you say?' };
          const { status } = await request(url + triggerPath(tenant), { method: 'POST', headers, body });
          expect(status === 202, `a call was answered ${status}`);
        }),
      );
    },
    settled: () =>
      until(
        async () =>
          (await count(
            `SELECT count(*)::int AS many FROM run WHERE org_id = $1 AND status IN ('queued', 'running', 'scheduled')`,
          )) === 0,
        SETTLED_WITHIN_MS,
        'The end of all runs',
      ),
    async answers() {
      const agentMessages = `SELECT count(*)::int AS many FROM message WHERE org_id = $1 AND role = 'agent' AND content->>'text'`;
      return {
        model: await count(`${agentMessages} = '${SAID}'`),
        fallback: await count(`${agentMessages} <> '${SAID}'`),
      };
    },
    gate: async () =>
      (
        await region.rows<{ failures: number; closed: boolean }>(
          'SELECT failures, coalesce(closed_until > now(), false) AS closed FROM model_gate WHERE org_id = $1',
          [tenant.orgId],
        )
      )[0],
  };
}

/** Waits until no node calls the provider any more, because it has failed too many times. */
async function closeGate({ ask, settled, gate }: Talk, { expect }: Trial, many: number): Promise<void> {
  await ask(many);
  await settled();
  expect((await gate())?.closed === true, `after ${many} failures the provider is still called`);
}

/** When the provider works again, one call probes the provider, which then answers all calls. */
async function opens(talk: Talk, { expect, pause }: Trial): Promise<void> {
  const { model, ask, settled, answers } = talk;
  const probed = Promise.withResolvers<void>();
  const from = model.calls.length;
  model.answer = () => answered({ after: probed.promise });
  await until(
    async () => {
      await ask(6);
      return model.calls.length > from;
    },
    20_000,
    'A probe',
  );
  await ask(12);
  await pause(500);
  const probes = model.calls.length - from;
  expect(probes === 1, `${probes} probes at once`);
  probed.resolve();
  model.answer = () => answered();
  await settled();
  const before = await answers();
  await ask(9);
  await settled();
  const after = await answers();
  expect(
    after.model === before.model + 9,
    `of 9 calls after the probe the model answered ${after.model - before.model}`,
  );
}

export const modelScenarios: Scenario[] = [
  {
    name: 'provider-away',
    expects: 'the fallback answers while a provider is away, no node calls it then, and one probe opens it again',
    callers: 0,
    keys: 1,
    async run(trial) {
      const { expect, pause } = trial;
      const talk = await startTalk(trial);
      await talk.ask(6);
      await talk.settled();
      expect((await talk.answers()).model === 6, 'the model did not answer before the fault');
      talk.model.answer = () => 'reset';
      await closeGate(talk, trial, 24);
      const { fallback } = await talk.answers();
      expect(fallback === 24, `the fallback answered ${fallback} of 24 calls`);
      const from = talk.model.calls.length;
      for (let n = 0; n < 5; n++) {
        await talk.ask(6);
        await pause(150);
      }
      await talk.settled();
      const made = talk.model.calls.length - from;
      // The limit allows one more call, because the waiting time may have just ended.
      expect(made <= 1, `a provider that is away was called ${made} times`);
      await opens(talk, trial);
    },
  },
  {
    name: 'provider-slow',
    expects: 'the fallback answers for a slow provider, and a provider that asks for time gets it from every node',
    callers: 0,
    keys: 1,
    async run(trial) {
      const { expect, pause } = trial;
      const fallback = [{ provider: 'embedded', when: ['slow', 'limit'] }];
      const talk = await startTalk(trial, { time_limit_seconds: 2, fallback });
      const { model, ask, settled } = talk;
      model.answer = () => 'hang';
      await closeGate(talk, trial, 12);
      await opens(talk, trial);
      model.answer = () => ({
        status: 429,
        headers: { 'retry-after': '6' },
        json: { error: { message: 'slow down' } },
      });
      await ask(1);
      await settled();
      const from = model.calls.length;
      for (let n = 0; n < 8; n++) {
        await ask(3);
        await pause(200);
      }
      await settled();
      const made = model.calls.length - from;
      expect(made === 0, `a provider was called ${made} times although it asked to wait`);
      await opens(talk, trial);
    },
  },
  {
    name: 'budget-spent',
    expects:
      'all workers together spend no more than the budget and one turn each, also when one is killed; then the fallback answers',
    callers: 0,
    keys: 1,
    async run(trial) {
      const { region, tenant, random, expect, pause } = trial;
      const talk = await startTalk(trial, { fallback: [{ provider: 'embedded', when: ['budget'] }] });
      const { model, ask, settled } = talk;
      const budget = async (amount: number): Promise<void> => {
        const body = { subject: 'organization', period: 'month', unit: 'tokens', amount };
        const { status } = await region.dashboard(
          region.api[0]!,
          'PUT',
          `/organizations/${tenant.orgId}/budgets`,
          body,
        );
        expect(status === 200, `the budget was answered ${status}`);
      };
      await budget(BUDGET);
      model.answer = () => answered({ delayMs: 150 });
      const victim = random.pick(region.workers);
      const asking = (async () => {
        for (let n = 0; n < 15; n++) {
          await ask(12);
          await pause(100);
        }
      })();
      // After an earlier kill, the turns that the killed worker had claimed could use up the whole budget.
      await until(async () => (await talk.answers()).model > 5, 20_000, 'The first answers');
      await victim.end('SIGKILL');
      await pause(1_000);
      await victim.start(region.plan);
      await asking;
      await settled();
      // The reservations of the killed worker count as spent, because its calls may be billed.
      const [counted] = await region.rows<{ spent: number }>('SELECT spent::int FROM budget WHERE org_id = $1', [
        tenant.orgId,
      ]);
      const spent = counted?.spent ?? 0;
      const billed = model.calls.length * BILLED;
      const most = BUDGET + region.workers.length * BILLED;
      for (const tokens of [billed, spent]) {
        expect(tokens <= most, `${tokens} tokens were spent of a budget of ${BUDGET}`);
      }
      expect(spent > BUDGET / 2, `only ${spent} tokens were spent of a budget of ${BUDGET}`);
      const before = await talk.answers();
      expect(
        before.model > 0 && before.fallback > 0,
        `the model answered ${before.model}, the fallback ${before.fallback}`,
      );
      await budget(BUDGET * 10);
      await ask(6);
      await settled();
      const after = await talk.answers();
      expect(
        after.model === before.model + 6,
        `with a larger budget the model answered ${after.model - before.model} of 6`,
      );
    },
  },
];
