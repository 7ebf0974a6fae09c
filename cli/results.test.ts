import { afterEach, expect, test, vi } from 'vitest';
import { buildProgram } from './program.ts';
import { answer, stage, type Stage } from './testing/run-cli.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Runs a command in this process. */
const run = (server: Stage, ...args: string[]): Promise<unknown> => {
  vi.stubEnv('PARLEY_TOKEN', 'token');
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  return buildProgram().parseAsync([...args, '--url', server.url, '--org', 'org_1'], { from: 'user' });
};

test('a replay in which every conversation fails is a failure', async () => {
  await using server = await stage(({ url }, reply) =>
    /conversations/.test(url)
      ? answer(reply, 200, { data: [{ id: 'conv_1' }, { id: 'conv_2' }], next_cursor: null })
      : answer(reply, 404, { code: 'conversation_not_found', detail: 'There is no such conversation.' }),
  );
  const replay = run(server, 'agents', 'replay', 'agent_1', '--exit-code');
  await expect(replay).rejects.toMatchObject({ code: 'conversation_not_found' });
  expect(server.seen.filter(({ url }) => /replay/.test(url))).toHaveLength(2);
});

test('an import whose failed rows cannot be written sends nothing', async () => {
  await using server = await stage((_, reply) => answer(reply, 200, {}));
  const bring = run(server, 'end-users', 'import', '--file', 'package.json', '--failed-rows', 'package.json');
  await expect(bring).rejects.toMatchObject({ code: 'file_unreadable' });
  expect(server.seen).toEqual([]);
});
