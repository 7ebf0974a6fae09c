import { request } from '../http-client.ts';
import type { Scenario, Trial } from '../trial.ts';

const TOKENS = 10_000;
const PAGE = 'https://shop.example';
/** The number of calls in progress at each node. */
const CALLERS = 16;
const CREATED_TOGETHER = 48;

/** All client tokens end with their key, on every node (docs/adr/0109). */
export const clientTokenScenarios: Scenario[] = [
  {
    name: 'client-tokens',
    expects: 'no node accepts one of 10,000 client tokens after the response to the revoke of their key',
    callers: 0,
    async run(trial) {
      const { region, tenant, expect } = trial;
      const tokens = await createTokens(trial);
      let next = 0;
      let isOver = false;
      const accepted: { start: number; node: string }[] = [];
      const odd: string[] = [];
      const calling = region.api.flatMap((node) =>
        Array.from({ length: CALLERS }, async () => {
          while (!isOver) {
            const token = tokens[next++ % tokens.length]!;
            const start = performance.now();
            const { status, body } = await callWith(trial, node.url, token);
            // A 404 means that there is no such run, so the node accepted the token.
            if (status === 404) accepted.push({ start, node: node.name });
            else if (!(status === 401 && body?.code === 'key_revoked')) odd.push(`${status} ${body?.code}`);
          }
        }),
      );
      while (accepted.length < TOKENS) await trial.pause(20);
      await trial.revoke(trial.node(), 0);
      const answeredAt = performance.now();
      // Calls each node once more with each token.
      const wanted = next + TOKENS * region.api.length;
      while (next < wanted) await trial.pause(20);
      isOver = true;
      await Promise.all(calling);
      const late = accepted.filter(({ start }) => start > answeredAt);
      expect(
        late.length === 0,
        `${late.length} client tokens were accepted after "revoked", first at ${late[0]?.node}`,
      );
      expect(odd.length === 0, `${odd.length} calls were answered otherwise, the first with ${odd[0]}`);
      const stored = await region.rows<{ n: number }>('SELECT count(*)::int AS n FROM end_user WHERE org_id = $1', [
        tenant.orgId,
      ]);
      expect(stored[0]!.n === 0, `${stored[0]!.n} rows were stored for tokens`);
    },
  },
];

const callWith = ({ tenant }: Trial, url: string, token: string) =>
  request(`${url}/api/triggers/${tenant.agentId}/${tenant.triggerId}/runs/run_01h455vb4pex5vsknk084sn02q`, {
    headers: { authorization: `Bearer ${token}`, origin: PAGE },
  });

async function createTokens({ region, tenant, expect }: Trial): Promise<string[]> {
  const tokens: string[] = [];
  const headers = { authorization: `Bearer ${tenant.keys[0]!.value}` };
  const createOne = async (n: number): Promise<void> => {
    const body = {
      agent_id: tenant.agentId,
      trigger_id: tenant.triggerId,
      end_user: { external_id: `visitor-${n}` },
      origins: [PAGE],
      expires_in: 3_600,
    };
    const node = region.api[n % region.api.length]!;
    const answer = await request(`${node.url}/api/client-tokens`, { method: 'POST', headers, body });
    if (answer.status === 201) tokens.push(answer.body.token as string);
  };
  for (let n = 0; n < TOKENS; n += CREATED_TOGETHER)
    await Promise.all(Array.from({ length: Math.min(CREATED_TOGETHER, TOKENS - n) }, (_, at) => createOne(n + at)));
  expect(tokens.length === TOKENS, `only ${tokens.length} of ${TOKENS} tokens were created`);
  return tokens;
}
