import { afterEach, expect, it, vi } from 'vitest';
import { Refusal } from '../../../contract/problems.ts';
import { checkedAfterWaits } from './check-again.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Dependencies whose every call takes this time, and ends with this error or without one. */
function waiting(ms: number, error?: Error) {
  let passed = 0;
  const clock = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => clock() + passed);
  const wait = async (): Promise<never> => {
    passed += ms;
    if (error) throw error;
    return undefined as never;
  };
  return {
    egress: { check: wait },
    connector: { connect: wait } as never,
    lookUpTxt: wait,
    readFiles: { read: wait } as never,
  };
}

/** Makes each call with a caller who has no access any more. Returns the codes of the refusals. */
async function codesOf(deps: ReturnType<typeof waiting>) {
  const { egress, connector, lookUpTxt, readFiles } = checkedAfterWaits(deps, async () => {
    throw new Refusal('organization_not_found');
  });
  const calls: (() => Promise<unknown>)[] = [
    () => egress.check(),
    () => (connector as { connect(): Promise<unknown> }).connect(),
    () => lookUpTxt(),
    () => (readFiles as { read(): Promise<unknown> }).read(),
  ];
  const codes: unknown[] = [];
  for (const call of calls)
    codes.push(
      await call().then(
        () => null,
        (error: unknown) => (error as Refusal).code,
      ),
    );
  return codes;
}

const REFUSED = Array.from({ length: 4 }, () => 'organization_not_found');

it('a caller without access is refused after each slow wait', async () => {
  expect(await codesOf(waiting(150))).toEqual(REFUSED);
});

it('a caller without access is refused after each wait that failed', async () => {
  expect(await codesOf(waiting(0, new Error('The server closed the connection.')))).toEqual(REFUSED);
});

it('a wait that ends at once causes no check', async () => {
  expect(await codesOf(waiting(0))).toEqual([null, null, null, null]);
});
